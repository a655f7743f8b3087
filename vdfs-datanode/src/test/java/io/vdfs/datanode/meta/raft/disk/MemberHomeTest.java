package io.vdfs.datanode.meta.raft.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.raft.MemberRecovery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberHomeTest {
  private static final NodeId SELF = new NodeId(new UUID(1, 2));
  private static final UUID GROUP = new UUID(3, 4);

  @TempDir Path directory;
  private Path home;

  @BeforeEach
  void makeMember() throws Exception {
    home = directory.resolve("raft");
    MemberHome.invite(home, GROUP, SELF, 7);
  }

  @Test
  void shouldPutARemovedMemberAside() throws VdfsException {
    assertEquals(Optional.of(GROUP), MemberHome.groupOf(home));
    assertEquals(7, MemberHome.invitedAt(home));
    Path aside = MemberHome.retire(home, 9);
    assertFalse(Files.exists(home));
    assertEquals(Optional.of(GROUP), MemberHome.groupOf(aside));
  }

  /** It may hold all that is left of the metadata, though its group is given up already. */
  @Test
  void shouldKeepAMemberWhoseRecoveryWasInterrupted() throws Exception {
    try (MemberRecovery recovery = MemberRecovery.open(home, SELF)) {
      recovery.begin();
    }
    VdfsException refused = assertThrows(VdfsException.class, () -> MemberHome.retire(home, 9));
    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
    assertTrue(refused.getMessage().contains("metadata-recover again"), refused::getMessage);
    assertEquals(Optional.of(GROUP), MemberHome.groupOf(home));
  }

  /** A reader of a member's log knows every name. */
  @Test
  void shouldKeepAMemberToTheDaemonsUser() throws Exception {
    assertEquals("rwx------", mode(home));
    assertEquals("rwx------", mode(home.resolve(MemberDirectory.DATA)));
    for (String file : List.of(MemberDirectory.IDENTITY, MemberDirectory.INVITED)) {
      assertEquals("rw-------", mode(home.resolve(file)));
    }
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertEquals("rwx------", mode(MemberHome.retire(home, 9)));
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}

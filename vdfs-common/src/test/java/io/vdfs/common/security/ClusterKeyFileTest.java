package io.vdfs.common.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterKeyFileTest {
  @TempDir Path directory;

  private final SecureRandom random = new SecureRandom();
  private final ClusterKey key = ClusterKey.generate(random);
  private ClusterKeyFile file;

  @BeforeEach
  void choosePlace() {
    file = new ClusterKeyFile(directory.resolve("conf").resolve("cluster.key"));
  }

  @Test
  void shouldGiveBackWhatWasWrittenForItsOwnerAlone() throws IOException {
    assertFalse(file.exists());
    file.create(key);
    assertTrue(file.exists());
    assertEquals(key.fingerprints(), file.load().fingerprints());
    assertEquals("rw-------", permissions());

    ClusterKey rolled = key.roll(random);
    file.replace(rolled);
    assertEquals(rolled.fingerprints(), file.load().fingerprints());
    assertEquals("rw-------", permissions());
    try (var left = Files.list(file.path().getParent())) {
      assertEquals(List.of(file.path()), left.toList());
    }
  }

  @Test
  void shouldWriteOverNoKey() throws IOException {
    file.create(key);
    VdfsException e =
        assertThrows(VdfsException.class, () -> file.create(ClusterKey.generate(random)));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertEquals(key.fingerprints(), file.load().fingerprints());
  }

  @Test
  void shouldFollowANameToTheFile() throws IOException {
    file.create(key);
    ClusterKeyFile link =
        new ClusterKeyFile(Files.createSymbolicLink(directory.resolve("link"), file.path()));
    ClusterKey rolled = key.roll(random);
    link.replace(rolled);
    assertEquals(rolled.fingerprints(), file.load().fingerprints());
    assertEquals(rolled.fingerprints(), link.load().fingerprints());
  }

  @Test
  void shouldTellWhereAKeyIsMissing() {
    assertRefused(file, "no cluster key: file=" + file.path());
  }

  @Test
  void shouldRefuseAFileThatOthersCanTouch() throws IOException {
    file.create(key);
    for (String open : List.of("rw-r-----", "rw----r--", "rw--w----", "rw----rw-", "rw------x")) {
      Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString(open));
      assertRefused(file, "permissions=" + open + "; chmod 600 it");
    }
    Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("r--------"));
    assertEquals(key.fingerprints(), file.load().fingerprints());
  }

  @Test
  void shouldRefuseAnotherUsersFile() throws IOException {
    file.create(key);
    long owner = ((Number) Files.getAttribute(file.path(), "unix:uid")).longValue();
    assertRefused(
        new ClusterKeyFile(file.path(), () -> owner + 1),
        "owner=%d, user=%d".formatted(owner, owner + 1));
  }

  @Test
  void shouldRefuseWhatIsNoKeyWithoutShowingIt() throws IOException {
    file.create(key);
    String hex = HexFormat.of().formatHex(key.generations().get(0));
    for (String text :
        List.of(
            "",
            "# nothing\n",
            hex.substring(2),
            hex + "00",
            "x" + hex.substring(1),
            hex + "\n" + hex,
            hex + "\n" + hex.replace('0', '1') + "\n" + hex.replace('0', '2'),
            ("#" + "-".repeat(200) + "\n").repeat(30) + hex)) {
      Files.writeString(file.path(), text);
      VdfsException e = assertRefused(file, "file holds no cluster key: file=" + file.path());
      for (Throwable at = e; at != null; at = at.getCause()) {
        assertFalse(at.toString().contains(hex.substring(8, 16)), at::toString);
      }
    }
    Files.writeString(file.path(), "# mine\n\n  " + hex.toUpperCase(Locale.ROOT) + "\r\n");
    assertEquals(key.fingerprints(), file.load().fingerprints());
  }

  private static VdfsException assertRefused(ClusterKeyFile file, String words) {
    VdfsException e = assertThrows(VdfsException.class, file::load);
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains(words), e.getMessage());
    return e;
  }

  private String permissions() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path()));
  }
}

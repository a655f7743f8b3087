package io.vdfs.datanode.meta.raft.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.raft.RatisProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys.Read;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.server.storage.StorageImplUtils;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFilesTest {
  private static final TermIndex APPLIED = TermIndex.valueOf(3, 40);

  @TempDir private Path directory;
  private RaftStorage raft;
  private Path listed;
  private final SnapshotFiles snapshots = new SnapshotFiles();

  @BeforeEach
  void open() throws IOException {
    RaftProperties properties =
        RatisProperties.of(
            directory,
            "localhost",
            1,
            GroupMemberSettings.Tuning.DEFAULT,
            Read.Option.LINEARIZABLE,
            Duration.ZERO);
    raft =
        StorageImplUtils.initRaftStorage(
            new UUID(1, 2).toString(), StartupOption.RECOVER, properties);
    snapshots.open(raft);
    listed = raft.getStorageDir().getStateMachineDir().toPath();
  }

  @AfterEach
  void close() throws IOException {
    raft.close();
  }

  private void publish() throws IOException {
    snapshots.publish(snapshots.write(out -> out.write(7), APPLIED));
  }

  private Optional<TermIndex> newest() throws IOException {
    return snapshots.newest().map(SingleFileSnapshotInfo::getTermIndex);
  }

  @Test
  void shouldTellRatisOfASnapshotOnceThereIsOne() throws IOException {
    assertEquals(Optional.empty(), newest());
    assertNull(snapshots.storage().getLatestSnapshot());

    publish();

    assertEquals(APPLIED, snapshots.storage().getLatestSnapshot().getTermIndex());
    assertEquals(Optional.of(APPLIED), newest());
  }

  @Test
  void shouldLookAgainOnlyWhenTold() throws IOException {
    assertEquals(Optional.empty(), newest());
    Files.write(listed.resolve("snapshot.3_40"), new byte[] {7});

    assertNull(snapshots.storage().getLatestSnapshot());
    assertEquals(Optional.of(APPLIED), newest());
    assertEquals(APPLIED, snapshots.storage().getLatestSnapshot().getTermIndex());
  }

  @Test
  void shouldNotTakeADirectoryThatCannotBeListedForAnEmptyOne() throws IOException {
    Files.createDirectories(listed);
    Path aside = listed.resolveSibling("aside");
    Files.write(listed.resolve("snapshot.3_40"), new byte[] {7});
    Files.move(listed, aside);
    Files.write(listed, new byte[1]);

    assertThrows(IOException.class, snapshots::newest);

    Files.delete(listed);
    Files.move(aside, listed);
    assertEquals(APPLIED, snapshots.storage().getLatestSnapshot().getTermIndex());
    assertEquals(Optional.of(APPLIED), newest());
  }
}

package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.security.ClusterKey;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cluster key is replaced under a metadata group that serves. */
@Timeout(120)
class KeyRotationTest {
  private static final GroupMemberSettings.Tuning TUNING =
      TestGroup.tuning(
          Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofSeconds(5), 1_000_000);

  @TempDir(factory = InMemory.class)
  Path directory;

  private final SecureRandom random = new SecureRandom();

  /**
   * In two rolling restarts; whichever member is away, the other two serve, and all of them
   * afterwards.
   */
  @Test
  void shouldKeepAMajorityThroughoutARotation() throws Exception {
    ClusterKey old = ClusterKey.generate(random);
    List<String> paths = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 3, TUNING).keyed(Optional.of(old)).startAll()) {
      group.awaitLogs();
      ClusterKey key = old;
      for (int step = 1; step <= 2; step++) {
        key = key.roll(random);
        group.keyed(Optional.of(key));
        for (int member = 0; member < 3; member++) {
          group.stop(member);
          make(group, paths, "/step" + step + "-without-" + member);
          group.start(member);
          make(group, paths, "/step" + step + "-with-" + member);
          group.awaitEqualStates(paths);
        }
      }
      assertEquals(0, group.counters.get(GroupCounter.REFUSED_PEERS));
      assertTrue(group.failures.isEmpty(), group.failures::toString);

      assertRefused(group, old);
      assertRefused(group, ClusterKey.generate(random));
    }
  }

  private static void make(TestGroup group, List<String> paths, String path) {
    group.make(path);
    paths.add(path);
  }

  private static void assertRefused(TestGroup group, ClusterKey key) throws Exception {
    ManagedChannel channel = RaftClients.withKey(group, 0, key);
    try {
      StatusRuntimeException refusal =
          assertThrows(
              StatusRuntimeException.class,
              () ->
                  RaftServerProtocolServiceGrpc.newBlockingStub(channel)
                      .requestVote(RequestVoteRequestProto.getDefaultInstance()));
      assertEquals(Status.Code.UNAVAILABLE, refusal.getStatus().getCode(), refusal::toString);
    } finally {
      channel.shutdownNow();
    }
  }
}

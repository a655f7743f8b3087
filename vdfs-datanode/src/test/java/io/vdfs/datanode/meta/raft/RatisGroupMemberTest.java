package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.service.edge.LeadershipListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class RatisGroupMemberTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private static List<MetaResponse> joinAll(List<CompletableFuture<MetaResponse>> futures) {
    return futures.stream().map(CompletableFuture::join).toList();
  }

  @Test
  void shouldReplicateInOrderAndAnswerOnTheLeaderOnly() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      GroupMember member = group.member(leader);
      List<String> paths = IntStream.range(0, 300).mapToObj(i -> "/p" + i).toList();
      List<CompletableFuture<MetaResponse>> answers = new ArrayList<>();
      for (String path : paths) {
        answers.add(member.submit(group.mkdirs(path)));
      }
      // a query asked after an acknowledged mutation sees it
      answers.get(299).join();
      MetaResponse last = member.query(TestGroup.status("/p299")).join();
      assertEquals(300, last.getStatus().getInodeId(), last::toString);
      assertTrue(joinAll(answers).stream().allMatch(answer -> answer.getMkdirs().getCreated()));
      assertEquals(
          ErrorCode.NOT_FOUND, TestGroup.code(member.query(TestGroup.status("/nowhere")).join()));
      group.awaitEqualStates(paths);
      assertEquals(300, group.counters.get(GroupCounter.ENTRY_REQUESTS));
      assertTrue(group.counters.get(GroupCounter.ENTRIES) < 300, "nothing was packed");
      assertEquals(2, group.counters.get(GroupCounter.READ_REQUESTS));
      assertTrue(group.counters.get(GroupCounter.DIRECT_READ_BATCHES) > 0);

      int follower = (leader + 1) % 3;
      NodeId leaderId = group.members.get(leader).id();
      TestGroup.await(
          "the follower to know the leader",
          () -> group.member(follower).leader().equals(Optional.of(leaderId)));
      for (MetaResponse refused :
          List.of(
              group.member(follower).submit(group.mkdirs("/no")).join(),
              group.member(follower).query(TestGroup.status("/p0")).join())) {
        assertEquals(ErrorCode.NOT_LEADER, TestGroup.code(refused));
        assertEquals(Optional.of(leaderId), Errors.leader(refused.getError()));
      }
      shouldRecallOnTheLeaderOnly(group, member, group.member(follower));
      shouldFailAloneWhenTooLargeOrPoisonous(group, member);
      assertTrue(group.leaderships.contains(leader + "+"), group.leaderships::toString);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private static void shouldRecallOnTheLeaderOnly(
      TestGroup group, GroupMember leader, GroupMember follower) {
    MetaRequest request = group.mkdirs("/recalled");
    assertEquals(Optional.empty(), leader.recall(request, 1).join());
    leader.submit(request).join();
    assertFalse(leader.recall(request, 1).join().orElseThrow().getMkdirs().getCreated());
    assertEquals(
        ErrorCode.NOT_LEADER, TestGroup.code(follower.recall(request, 1).join().orElseThrow()));
  }

  /** Ratis by itself would vote: the candidate's term is newer and its log longer. */
  @Test
  void shouldNotVoteWhileItHearsALeader() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      group.make("/a");
      int follower = (leader + 1) % 3;
      ManagedChannel channel = RaftClients.asMember(group, follower);
      try {
        RequestVoteRequestProto request = candidature(group, (leader + 2) % 3, follower);
        StatusRuntimeException refusal =
            assertThrows(
                StatusRuntimeException.class,
                () -> RaftServerProtocolServiceGrpc.newBlockingStub(channel).requestVote(request));
        assertEquals("a leader is heard", refusal.getStatus().getDescription());
      } finally {
        channel.shutdownNow();
      }
      assertTrue(group.member(leader).isLeader());
    }
  }

  private static RequestVoteRequestProto candidature(TestGroup group, int candidate, int voter) {
    RaftGroupId id = RaftGroupId.valueOf(group.settings(voter, group.directoryOf(voter)).groupId());
    return RequestVoteRequestProto.newBuilder()
        .setServerRequest(
            RaftRpcRequestProto.newBuilder()
                .setRequestorId(peer(group, candidate))
                .setReplyId(peer(group, voter))
                .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(id.toByteString()))
                .setCallId(1))
        .setCandidateTerm(1_000)
        .setCandidateLastEntry(TermIndexProto.newBuilder().setTerm(999).setIndex(1_000_000))
        .build();
  }

  private static ByteString peer(TestGroup group, int member) {
    return RaftPeerId.valueOf(group.members.get(member).id().toString()).toByteString();
  }

  /** Where Java's common pool is too small to be used, whatever asks for it gets new threads. */
  @Test
  void shouldStartNoThreadsForEntries() throws Exception {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      GroupMember leader = group.member(group.leader());
      assertFalse(leader.submit(group.mkdirs("/first")).join().hasError());
      long before = threads.getTotalStartedThreadCount();
      for (int i = 0; i < 150; i++) {
        assertFalse(leader.submit(group.mkdirs("/p" + i)).join().hasError());
      }
      long started = threads.getTotalStartedThreadCount() - before;
      assertEquals(151, group.counters.get(GroupCounter.ENTRIES));
      assertTrue(started < 100, () -> "threads started for 150 entries: " + started);
    }
  }

  private static void shouldFailAloneWhenTooLargeOrPoisonous(TestGroup group, GroupMember leader) {
    MetaResponse tooLarge = leader.submit(group.mkdirs("/" + "x".repeat(64 << 10))).join();
    assertEquals(ErrorCode.INVALID_ARGUMENT, TestGroup.code(tooLarge));
    assertTrue(
        tooLarge.getError().getMessage().contains("limit=65531"), tooLarge.getError()::getMessage);
    int most = (64 << 10) - 64;
    assertFalse(leader.submit(group.mkdirs("/" + "y".repeat(most))).join().hasError());

    List<CompletableFuture<MetaResponse>> answers = new ArrayList<>();
    for (String path : List.of("/a", PathsState.POISON, "/b")) {
      answers.add(leader.submit(group.mkdirs(path)));
    }
    List<MetaResponse> done = joinAll(answers);
    assertTrue(done.get(0).getMkdirs().getCreated());
    assertEquals(ErrorCode.INTERNAL, TestGroup.code(done.get(1)));
    assertTrue(done.get(2).getMkdirs().getCreated());
  }

  @Test
  void shouldLoseAndDoubleNothingWhenLeadersGo() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int first = group.leader();
      group.awaitLogs();
      ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
      List<Thread> writers = new ArrayList<>();
      ConcurrentLinkedQueue<Throwable> trouble = new ConcurrentLinkedQueue<>();
      for (int w = 0; w < 4; w++) {
        String prefix = "/w" + w + "-";
        Thread writer =
            new Thread(
                () -> {
                  for (int i = 0; i < 60; i++) {
                    group.make(prefix + i);
                    acknowledged.add(prefix + i);
                  }
                });
        writer.setUncaughtExceptionHandler((thread, e) -> trouble.add(e));
        writer.start();
        writers.add(writer);
      }
      TestGroup.await("some writes", () -> acknowledged.size() > 40);
      group.stop(first);
      int second = group.leader();
      assertNotEquals(first, second);
      for (Thread writer : writers) {
        writer.join();
      }
      assertTrue(trouble.isEmpty(), trouble::toString);
      assertEquals(240, acknowledged.size());

      group.start(first);
      List<String> paths = group.states.get(group.leader()).paths();
      assertEquals(240, paths.size(), "an operation was lost or doubled");
      assertEquals(new HashSet<>(acknowledged), new HashSet<>(paths));
      for (int w = 0; w < 4; w++) {
        String prefix = "/w" + w + "-";
        assertEquals(
            IntStream.range(0, 60).mapToObj(i -> prefix + i).toList(),
            paths.stream().filter(path -> path.startsWith(prefix)).toList());
      }
      group.awaitEqualStates(paths);
    }
  }

  @Test
  void shouldRecoverFromDiskAndInstallSnapshotsOnLaggingMembers() throws Exception {
    GroupMemberSettings.Tuning tuning =
        TestGroup.tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5), 40);
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 3, tuning).startAll()) {
      int leader = group.leader();
      int lagging = (leader + 1) % 3;
      expected.add("/before");
      group.make("/before");
      group.awaitEqualStates(expected);
      group.stop(lagging);
      for (int i = 0; i < 150; i++) {
        String path = "/s" + i + "x".repeat(8 << 10);
        expected.add(path);
        group.make(path);
      }
      int now = group.leader();
      TestGroup.await("a purged log", () -> TestGroup.firstIndex(group.directoryOf(now)) > 40);
      TestGroup.await("a snapshot", () -> group.counters.get(GroupCounter.SNAPSHOTS) > 0);

      group.start(lagging);
      PathsState state = group.states.get(lagging);
      group.awaitEqualStates(expected);
      assertTrue(state.loads() > 0, "caught up without a snapshot");
      expected.add("/after");
      group.make("/after");
      group.awaitEqualStates(expected);

      long chunks = group.counters.get(GroupCounter.SNAPSHOT_CHUNKS);
      group.stop(lagging);
      deleteAll(group.directoryOf(lagging));
      group.startInvited(lagging);
      group.awaitEqualStates(expected);
      assertTrue(group.states.get(lagging).loads() > 0, "a wiped member caught up by nothing");
      long pieces = group.counters.get(GroupCounter.SNAPSHOT_CHUNKS) - chunks;
      assertTrue(pieces > 4, () -> "pieces=" + pieces);

      for (int i = 0; i < 3; i++) {
        group.stop(i);
      }
      group.startAll();
      group.leader();
      group.awaitEqualStates(expected);
      assertTrue(group.states.stream().allMatch(s -> s.loads() > 0));
      group.make("/last");
      expected.add("/last");
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  @Test
  void shouldServeWhileASnapshotIsWritten() throws Exception {
    GroupMemberSettings.Tuning tuning =
        TestGroup.tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(30), 20);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 1, tuning).startAll()) {
      group.leader();
      group.states.get(0).beforeSaving =
          () -> {
            asked.countDown();
            awaitUnchecked(released);
          };
      for (int i = 0; i < 60; i++) {
        expected.add("/a" + i);
        group.make("/a" + i);
      }
      assertTrue(asked.await(60, TimeUnit.SECONDS), "no snapshot was begun");
      expected.add("/meanwhile");
      group.make("/meanwhile");
      assertEquals(0, group.counters.get(GroupCounter.SNAPSHOTS));
      assertEquals(Optional.empty(), snapshot(group.directoryOf(0)));
      released.countDown();
      TestGroup.await(
          "a snapshot",
          () -> {
            String path = "/b" + expected.size();
            expected.add(path);
            group.make(path);
            return snapshot(group.directoryOf(0)).isPresent();
          });
      group.stop(0);
      group.start(0);
      group.leader();
      group.awaitEqualStates(expected);
      assertTrue(group.states.get(0).loads() > 0);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private static void deleteAll(Path root) throws IOException {
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(root)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : paths) {
      Files.delete(path);
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldAnswerUnavailableInTimeWithoutAMajority() throws Exception {
    // the leader steps down only after the longer time-out: till then it must not serve reads
    GroupMemberSettings.Tuning tuning =
        TestGroup.tuning(
            Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(2), 1_000_000);
    try (TestGroup group = new TestGroup(directory, 3, tuning).startAll()) {
      int leader = group.leader();
      group.make("/a");
      group.awaitLogs();
      GroupMember member = group.member(leader);
      assertFalse(member.query(TestGroup.status("/a")).join().hasError());
      group.stop((leader + 1) % 3);
      group.stop((leader + 2) % 3);
      long cut = System.nanoTime();
      MetaRequest write = group.mkdirs("/b");
      assertEquals(ErrorCode.UNAVAILABLE, TestGroup.code(member.submit(write).join()));
      long took = System.nanoTime() - cut;
      assertTrue(took < Duration.ofSeconds(6).toNanos(), () -> "tookNanos=" + took);

      long direct = group.counters.get(GroupCounter.DIRECT_READ_BATCHES);
      MetaResponse read = member.query(TestGroup.status("/a")).join();
      assertTrue(read.hasError(), "a leader that lost its followers answered a read");
      assertEquals(direct, group.counters.get(GroupCounter.DIRECT_READ_BATCHES));
      TestGroup.await(
          "the loss to be told",
          () -> {
            MetaResponse response = member.submit(write).join();
            return TestGroup.code(response) == ErrorCode.UNAVAILABLE
                && response.getError().getMessage().contains("majority");
          });
      TestGroup.await(
          "the end of leadership",
          () -> !member.isLeader() && group.leaderships.contains(leader + "-"));

      group.start((leader + 1) % 3);
      assertFalse(group.make("/c").hasError());
    }
  }

  @Test
  void shouldRefuseForeignDirectoriesAndTakenPorts() throws Exception {
    try (TestGroup group = new TestGroup(directory, 1, TestGroup.quick()).startAll()) {
      group.leader();
      group.make("/a");
      Path own = group.directoryOf(0);

      TestGroup other = new TestGroup(directory, 1, TestGroup.quick());
      assertMisconfigured(other.settings(0, own), own.toString());
      assertTrue(failure(other.settings(0, own)).getMessage().contains("in use"));
      group.stop(0);
      assertMisconfigured(other.settings(0, own), own.toString());
      GroupMemberSettings otherGroup =
          GroupMemberSettings.founding(
              new MetadataGroup(UUID.randomUUID(), group.members),
              group.members.get(0).id(),
              own,
              "localhost",
              "vdfs.raft.port",
              Optional.empty(),
              TestGroup.quick());
      assertMisconfigured(otherGroup, own.toString());

      Path filled = Files.createDirectories(directory.resolve("filled"));
      Files.writeString(filled.resolve("thesis.txt"), "precious");
      assertMisconfigured(other.settings(0, filled), filled.toString());
      assertEquals("precious", Files.readString(filled.resolve("thesis.txt")));

      Path file = Files.writeString(directory.resolve("file"), "x");
      assertMisconfigured(other.settings(0, file), file.toString());

      try (ServerSocket taken = new ServerSocket(0)) {
        MetadataMember member =
            new MetadataMember(NodeId.random(), "localhost", taken.getLocalPort());
        GroupMemberSettings settings =
            GroupMemberSettings.founding(
                new MetadataGroup(UUID.randomUUID(), List.of(member)),
                member.id(),
                directory.resolve("fresh"),
                "localhost",
                "vdfs.raft.port",
                Optional.empty(),
                TestGroup.quick());
        assertMisconfigured(settings, "port=" + taken.getLocalPort());
      }

      group.start(0);
      group.leader();
      group.awaitEqualStates(List.of("/a"));
    }
  }

  private static void assertMisconfigured(GroupMemberSettings settings, String named) {
    VdfsException failure = failure(settings);
    assertEquals(ErrorCode.MISCONFIGURED, failure.code());
    assertTrue(failure.getMessage().contains(named), failure.getMessage());
  }

  private static VdfsException failure(GroupMemberSettings settings) {
    LeadershipListener deaf =
        new LeadershipListener() {
          @Override
          public void onLeader(long term) {}

          @Override
          public void onFollower() {}
        };
    return assertThrows(
        VdfsException.class,
        () ->
            RatisGroupMember.start(
                    settings,
                    new PathsState(),
                    deaf,
                    e -> {},
                    new Counters<>(GroupCounter.class),
                    new Peers(
                        members -> "nobody asked",
                        (id, node) -> CompletableFuture.completedFuture(Optional.empty())))
                .close());
  }

  @Test
  void shouldNameASnapshotThatIsDamaged() throws Exception {
    GroupMemberSettings.Tuning tuning =
        TestGroup.tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5), 5);
    try (TestGroup group = new TestGroup(directory, 1, tuning).startAll()) {
      group.leader();
      for (int i = 0; i < 20; i++) {
        group.make("/" + i);
      }
      TestGroup.await("a snapshot", () -> snapshot(group.directoryOf(0)).isPresent());
      group.stop(0);
      Path snapshot = snapshot(group.directoryOf(0)).orElseThrow();
      Files.write(snapshot, new byte[] {1, 2, 3, 4, 5});
      VdfsException failure = assertThrows(VdfsException.class, () -> group.start(0));
      assertTrue(failure.getMessage().contains(group.directoryOf(0).toString()), failure::toString);
    }
  }

  private static Optional<Path> snapshot(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
          .max(
              Comparator.comparingLong(
                  file -> Long.parseLong(file.getFileName().toString().replaceAll(".*_", ""))));
    } catch (IOException | UncheckedIOException e) {
      return Optional.empty(); // a file went away under the walk
    }
  }

  /** Left to itself, gRPC tries eight times a minute at first and once in two minutes later. */
  @Test
  void shouldKeepTryingToReachTheOthersWhileThereIsNoLeader() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick())) {
      int port = group.members.get(1).raftPort();
      try (ServerSocket deaf = new ServerSocket(port, 50, InetAddress.getByName("localhost"))) {
        Thread counter = new Thread(() -> countAttempts(deaf, attempts), "attempts");
        counter.start();
        group.start(0);
        TestGroup.await("the candidate to try often", () -> attempts.get() >= 12);
      }
    }
  }

  private static void countAttempts(ServerSocket deaf, AtomicInteger attempts) {
    while (!deaf.isClosed()) {
      try {
        deaf.accept().close();
        attempts.incrementAndGet();
      } catch (IOException e) {
        // closed: the test is over
      }
    }
  }
}

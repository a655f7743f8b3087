package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.raft.PathEvent.Kind;
import io.vdfs.datanode.meta.raft.lease.QuorumLease;
import io.vdfs.datanode.meta.raft.lease.ReadGuards;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of clients that create, replace, move, delete and look at the same few paths while
 * leaders go and come back or are cut off, and while some answers are lost: each must be
 * linearizable, and no retry may count twice. Bugs that the test must not overlook are planted
 * beside it.
 */
@Timeout(900)
class MetadataHistoryTest {
  private static final int HISTORIES = Integer.getInteger("vdfs.test.histories", 20);

  /** Recorded side by side, as they wait most of the time. */
  private static final int GROUPS = 3;

  /** Tries to cut a leader off at the right time. */
  private static final int MOST_CUTS = 40;

  private static final int CLIENTS = 16;
  private static final int OPERATIONS = 125;
  private static final int PAIRS = 4;
  private static final List<Kind> KINDS = List.of(Kind.values());

  private static final Tuning TUNING =
      TestGroup.tuning(
          Duration.ofMillis(400), Duration.ofMillis(900), Duration.ofSeconds(2), 1_000_000);

  /** A leader that is cut off stays in office for long after another one was elected. */
  private static final Tuning SLOW =
      TestGroup.tuning(
          Duration.ofMillis(400), Duration.ofSeconds(4), Duration.ofSeconds(5), 1_000_000);

  @TempDir(factory = InMemory.class)
  private Path directory;

  private final MetadataHarness requests = new MetadataHarness();

  /** What happened to each pair of paths. Thread-safe. */
  private static final class History {
    private final Map<String, ConcurrentLinkedQueue<PathEvent>> pairs = new ConcurrentHashMap<>();

    void add(String pair, PathEvent event) {
      pairs.computeIfAbsent(pair, any -> new ConcurrentLinkedQueue<>()).add(event);
    }

    int size() {
      return pairs.values().stream().mapToInt(ConcurrentLinkedQueue::size).sum();
    }

    boolean isLinearizable() {
      return pairs.values().stream().allMatch(pair -> Linearizability.holds(List.copyOf(pair)));
    }
  }

  /** One client with its own call ids; confined to its thread. */
  private final class Client {
    private final ByteString id = WireIds.encode(NodeId.random());
    private final Random random;
    private final TestGroup group;
    private final History history;
    private long calls;

    Client(TestGroup group, History history, long seed) {
      this.random = new Random(seed);
      this.group = group;
      this.history = history;
    }

    /**
     * @param fault from which on more than half of the operations may begin
     */
    void run(String prefix, CountDownLatch fault) {
      for (int i = 0; i < OPERATIONS; i++) {
        if (i == OPERATIONS / 2) {
          Uninterruptibles.awaitUninterruptibly(fault);
        }
        String pair = prefix + random.nextInt(PAIRS);
        act(pair, random.nextBoolean(), KINDS.get(random.nextInt(KINDS.size())));
      }
    }

    void act(String pair, boolean second, Kind kind) {
      act(pair, second, kind, -1);
    }

    void act(String pair, boolean second, Kind kind, int avoided) {
      long start = System.nanoTime();
      MetaResponse response =
          group.ask(request(pair, second, kind), kind != Kind.LOOK, random, avoided);
      history.add(pair, event(kind, second, outcome(kind, response), start, System.nanoTime()));
    }

    /**
     * Looks at a path through one member.
     *
     * @return whether the member answered
     */
    boolean look(String pair, GroupMember member) {
      long start = System.nanoTime();
      MetaResponse response = TestGroup.askOnce(member, request(pair, false, Kind.LOOK), false);
      boolean answered = !TestGroup.isUndecided(response);
      if (answered) {
        long outcome = outcome(Kind.LOOK, response);
        history.add(pair, event(Kind.LOOK, false, outcome, start, System.nanoTime()));
      }
      return answered;
    }

    /** Looks at a path through a member that may answer much later. */
    CompletableFuture<Void> lookLater(String pair, GroupMember member) {
      long start = System.nanoTime();
      return member
          .query(request(pair, false, Kind.LOOK))
          .thenAccept(
              response -> {
                if (!TestGroup.isUndecided(response)) {
                  long outcome = outcome(Kind.LOOK, response);
                  history.add(pair, event(Kind.LOOK, false, outcome, start, System.nanoTime()));
                }
              });
    }

    private MetaRequest request(String pair, boolean second, Kind kind) {
      String path = pair + (second ? "b" : "a");
      String other = pair + (second ? "a" : "b");
      MetaRequest.Builder request =
          switch (kind) {
            case CREATE -> requests.create(path, 0644, 1, false);
            case OVERWRITE -> requests.create(path, 0644, 1, true);
            case DELETE -> requests.delete(path, false);
            case MOVE -> requests.rename(path, other, false);
            case REPLACE -> requests.rename(path, other, true);
            case LOOK -> requests.getStatus(path);
          };
      calls++;
      return request.setCallId(CallIdProto.newBuilder().setClientId(id).setCall(calls)).build();
    }

    private static long outcome(Kind kind, MetaResponse response) {
      if (response.hasError()) {
        return refusal(kind, TestGroup.code(response));
      }
      return switch (kind) {
        case CREATE, OVERWRITE -> response.getOpenFile().getFileId();
        case DELETE -> response.getDelete().getDeleted() ? PathEvent.DONE : PathEvent.NOTHING;
        case MOVE, REPLACE -> PathEvent.DONE;
        case LOOK -> response.getStatus().getInodeId();
      };
    }

    private static long refusal(Kind kind, ErrorCode code) {
      boolean moves = kind == Kind.MOVE || kind == Kind.REPLACE;
      ErrorCode atNothing = kind == Kind.CREATE ? ErrorCode.LEASE_CONFLICT : ErrorCode.NOT_FOUND;
      boolean canMeetNothing = moves || kind == Kind.LOOK || kind == Kind.CREATE;
      if (canMeetNothing && code == atNothing) {
        return PathEvent.NOTHING;
      }
      assertTrue(code == ErrorCode.ALREADY_EXISTS && kind == Kind.MOVE, () -> kind + ": " + code);
      return PathEvent.TAKEN;
    }
  }

  private static MetadataState state() {
    return new MetadataState(
        MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), new LedgerAdapter());
  }

  private TestGroup group(String name, Tuning tuning, Supplier<? extends ReplicatedState> states)
      throws IOException {
    return new TestGroup(directory.resolve(name), 3, tuning, states).behindWires();
  }

  @Test
  void shouldBeLinearizableWhileLeadersGoOrAreCutOff() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(GROUPS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < GROUPS; i++) {
        int first = i;
        running.add(threads.submit(() -> recordEach(first)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private Void recordEach(int first) throws Exception {
    try (TestGroup group = group("g" + first, TUNING, MetadataHistoryTest::state).startAll()) {
      for (int number = first; number < HISTORIES; number += GROUPS) {
        History history = record(group, number);
        assertTrue(history.size() >= CLIENTS * OPERATIONS, "events=" + history.size());
        assertTrue(history.isLinearizable(), "history=" + number);
      }
      long direct = group.counters.get(GroupCounter.DIRECT_READ_BATCHES);
      long reads = group.counters.get(GroupCounter.READ_BATCHES);
      assertTrue(direct > reads / 2, "reads=" + reads + ", direct=" + direct);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
    return null;
  }

  /** Even histories lose their leader, odd ones have it cut off for a while. */
  private History record(TestGroup group, int number) throws Exception {
    History history = new History();
    ConcurrentLinkedQueue<Throwable> trouble = new ConcurrentLinkedQueue<>();
    group.leader();
    group.awaitLogs();
    CountDownLatch fault = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Client client = new Client(group, history, (long) number * CLIENTS + i);
      Thread thread = new Thread(() -> client.run("/h" + number + "-", fault));
      thread.setUncaughtExceptionHandler((any, e) -> trouble.add(e));
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    TestGroup.await(
        "a third of the history",
        () -> !trouble.isEmpty() || history.size() > CLIENTS * OPERATIONS / 3);
    int leader = group.leader();
    int before = history.size();
    assertTrue(before < CLIENTS * OPERATIONS * 2 / 3, "the fault comes late: events=" + before);
    fault.countDown();
    if (number % 2 == 0) {
      group.stop(leader);
    } else {
      cutOff(group, leader, new Client(group, history, -number), "/h" + number + "-0");
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (number % 2 == 0) {
      group.start(leader);
    }
    assertTrue(trouble.isEmpty(), trouble::toString);
    return history;
  }

  /**
   * Cuts the leader off until another one is there, and looks at what the old one, which runs on,
   * answers about a path that the new one has changed since.
   *
   * @return whether the old leader answered
   */
  private static boolean cutOff(TestGroup group, int old, Client client, String pair) {
    GroupMember member = group.member(old);
    long before = group.wires().heldBack(old);
    client.look(pair, member);
    group.awaitEqualLogs();
    group.wires().cutOff(old);
    int leader = group.leaderBesides(old);
    assertNotEquals(old, leader);
    assertTrue(group.wires().heldBack(old) > before, "the cut wires held nothing back");
    client.act(pair, false, Kind.OVERWRITE, old);
    boolean answered = client.look(pair, member);
    group.wires().heal();
    return answered;
  }

  /** A read that waits while a leader is cut off must not see the past once the leader is back. */
  @Test
  void shouldAnswerNothingFromThePastWhenALeaderIsBack() throws Exception {
    try (TestGroup group = group("late", SLOW, MetadataHistoryTest::state).startAll()) {
      History history = new History();
      Client client = new Client(group, history, 1);
      // on a slow machine the old leader has often left office before another one is there
      for (int i = 0; i < 5 || (!hasWaited(group) && i < MOST_CUTS); i++) {
        int old = group.leader();
        GroupMember member = group.member(old);
        client.act("/p", false, Kind.OVERWRITE);
        client.look("/p", member);
        group.awaitEqualLogs();
        group.wires().cutOff(old);
        group.leaderBesides(old);
        client.act("/p", false, Kind.OVERWRITE, old);
        long reads = group.counters.get(GroupCounter.READ_BATCHES);
        CompletableFuture<Void> late = client.lookLater("/p", member);
        TestGroup.await(
            "the read to wait",
            () -> late.isDone() || group.counters.get(GroupCounter.READ_BATCHES) > reads);
        group.wires().heal();
        late.join();
      }
      assertTrue(history.isLinearizable());
      assertTrue(hasWaited(group), "no read waited");
    }
  }

  /** Whether some read was not answered at once. */
  private static boolean hasWaited(TestGroup group) {
    return group.counters.get(GroupCounter.DIRECT_READ_BATCHES)
        < group.counters.get(GroupCounter.READ_BATCHES);
  }

  @Test
  void shouldNoticeALeaderThatAnswersWithoutAMajority() throws Exception {
    Supplier<ReadGuards> none =
        () ->
            new ReadGuards(
                RaftServerConfigKeys.Read.Option.DEFAULT,
                new QuorumLease(Duration.ofDays(1), Duration.ofDays(2), System::nanoTime));
    try (TestGroup group =
        group("careless", SLOW, MetadataHistoryTest::state).withGuards(none).startAll()) {
      History history = new History();
      Client client = new Client(group, history, 1);
      boolean answered = false;
      for (int i = 0; i < MOST_CUTS && !answered; i++) {
        client.act("/p", false, Kind.OVERWRITE);
        answered = cutOff(group, group.leader(), client, "/p");
      }
      assertTrue(group.counters.get(GroupCounter.DIRECT_READ_BATCHES) > 0);
      assertTrue(answered, "no leader answered that was cut off");
      assertFalse(history.isLinearizable());
    }
  }

  @Test
  void shouldNoticeAStateThatForgetsItsCalls() throws Exception {
    try (TestGroup group =
        group("forgetful", TUNING, () -> new ForgetfulState(state())).startAll()) {
      History history = record(group, 0);
      assertFalse(history.isLinearizable());
    }
  }

  private static PathEvent event(Kind kind, boolean second, long outcome, long start, long end) {
    return new PathEvent(kind, second, outcome, start, end);
  }

  private static PathEvent event(Kind kind, long outcome, long start, long end) {
    return event(kind, false, outcome, start, end);
  }

  @Test
  void shouldTellHistoriesApart() {
    PathEvent create = event(Kind.CREATE, 7, 0, 10);
    assertTrue(Linearizability.holds(List.of(create, event(Kind.LOOK, 7, 20, 30))));
    assertTrue(Linearizability.holds(List.of(create, event(Kind.LOOK, 0, 5, 30))));
    assertTrue(Linearizability.holds(List.of(create, event(Kind.LOOK, 7, 5, 6))));
    assertFalse(Linearizability.holds(List.of(create, event(Kind.LOOK, 0, 11, 30))), "stale");
    assertFalse(
        Linearizability.holds(
            List.of(
                create,
                event(Kind.OVERWRITE, 8, 20, 40),
                event(Kind.LOOK, 8, 21, 22),
                event(Kind.LOOK, 7, 23, 24))),
        "back in time");
    assertFalse(Linearizability.holds(List.of(create, event(Kind.CREATE, 8, 1, 5))), "doubled");
    assertFalse(Linearizability.holds(List.of(create, event(Kind.DELETE, 0, 20, 30))), "lost");
    assertTrue(
        Linearizability.holds(
            List.of(create, event(Kind.DELETE, 1, 20, 30), event(Kind.CREATE, 0, 11, 25))));
    PathEvent move = event(Kind.MOVE, PathEvent.DONE, 20, 30);
    PathEvent there = event(Kind.LOOK, true, 7, 40, 50);
    assertTrue(Linearizability.holds(List.of(create, move, there)));
    assertFalse(
        Linearizability.holds(List.of(create, move, there, event(Kind.LOOK, 7, 40, 50))),
        "at both places");
    assertFalse(
        Linearizability.holds(
            List.of(create, move, event(Kind.REPLACE, true, PathEvent.NOTHING, 40, 50))),
        "at neither place");
  }
}

package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.NodeIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.raft.PathEvent.Kind;
import io.vdfs.datanode.meta.state.MetadataSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of clients that create, replace, delete and look at the same few paths while leaders go
 * and come back: each must be linearizable, and no retry may count twice.
 */
@Timeout(900)
class MetadataHistoryTest {
  private static final int HISTORIES = Integer.getInteger("vdfs.test.histories", 20);
  private static final int CLIENTS = 16;
  private static final int OPERATIONS = 125;
  private static final int PATHS = 8;
  private static final List<Kind> KINDS = List.of(Kind.values());

  @TempDir private Path directory;

  private final MetadataHarness requests = new MetadataHarness();

  /** One client with its own call ids; confined to its thread. */
  private final class Client {
    private final ByteString id = NodeIds.toBytes(NodeId.random());
    private final Random random;
    private long calls;

    Client(int number, long seed) {
      this.random = new Random(seed * CLIENTS + number);
    }

    void run(
        TestGroup group, String prefix, Map<String, ConcurrentLinkedQueue<PathEvent>> history) {
      for (int i = 0; i < OPERATIONS; i++) {
        String path = prefix + random.nextInt(PATHS);
        PathEvent event = act(group, path, KINDS.get(random.nextInt(KINDS.size())));
        history.computeIfAbsent(path, any -> new ConcurrentLinkedQueue<>()).add(event);
      }
    }

    private PathEvent act(TestGroup group, String path, Kind kind) {
      long start = System.nanoTime();
      MetaResponse response = group.ask(request(path, kind), kind != Kind.LOOK);
      return new PathEvent(kind, outcome(kind, response), start, System.nanoTime());
    }

    private MetaRequest request(String path, Kind kind) {
      MetaRequest.Builder request =
          switch (kind) {
            case CREATE -> requests.create(path, 0644, 1, false);
            case OVERWRITE -> requests.create(path, 0644, 1, true);
            case DELETE -> requests.delete(path, false);
            case LOOK -> requests.getStatus(path);
          };
      calls++;
      return request.setCallId(CallIdProto.newBuilder().setClientId(id).setCall(calls)).build();
    }

    private static long outcome(Kind kind, MetaResponse response) {
      if (response.hasError()) {
        ErrorCode code = TestGroup.code(response);
        boolean expected =
            kind == Kind.LOOK
                ? code == ErrorCode.NOT_FOUND
                : kind == Kind.CREATE && code == ErrorCode.LEASE_CONFLICT;
        assertTrue(expected, () -> kind + ": " + response);
        return PathEvent.NOTHING;
      }
      return switch (kind) {
        case CREATE, OVERWRITE -> response.getOpenFile().getFileId();
        case DELETE -> response.getDelete().getDeleted() ? 1 : PathEvent.NOTHING;
        case LOOK -> response.getStatus().getInodeId();
      };
    }
  }

  @Test
  void shouldBeLinearizableWhileLeadersGo() throws Exception {
    AtomicInteger kills = new AtomicInteger();
    try (TestGroup group =
        new TestGroup(
                directory,
                3,
                TestGroup.quick(),
                () ->
                    new MetadataState(
                        MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), new LedgerAdapter()))
            .startAll()) {
      for (int number = 0; number < HISTORIES; number++) {
        Map<String, ConcurrentLinkedQueue<PathEvent>> history = record(group, number, kills);
        int events = history.values().stream().mapToInt(ConcurrentLinkedQueue::size).sum();
        assertEquals(CLIENTS * OPERATIONS, events);
        history.forEach(
            (path, ofPath) ->
                assertTrue(Linearizability.holds(List.copyOf(ofPath)), "path=" + path));
      }
    }
    assertEquals(HISTORIES, kills.get(), "no leader went during some history");
  }

  private Map<String, ConcurrentLinkedQueue<PathEvent>> record(
      TestGroup group, int number, AtomicInteger kills) throws Exception {
    Map<String, ConcurrentLinkedQueue<PathEvent>> history = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Throwable> trouble = new ConcurrentLinkedQueue<>();
    int leader = group.leader();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Client client = new Client(number * CLIENTS + i + 1, number);
      Thread thread = new Thread(() -> client.run(group, "/h" + number + "-", history));
      thread.setUncaughtExceptionHandler((any, e) -> trouble.add(e));
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
    TestGroup.await(
        "a third of the history",
        () ->
            !trouble.isEmpty()
                || history.values().stream().mapToInt(ConcurrentLinkedQueue::size).sum()
                    > CLIENTS * OPERATIONS / 3);
    group.stop(leader);
    boolean during = threads.stream().anyMatch(Thread::isAlive);
    kills.addAndGet(during ? 1 : 0);
    for (Thread thread : threads) {
      thread.join();
    }
    group.start(leader);
    assertTrue(trouble.isEmpty(), trouble::toString);
    return history;
  }

  private static PathEvent event(Kind kind, long outcome, long start, long end) {
    return new PathEvent(kind, outcome, start, end);
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
  }
}

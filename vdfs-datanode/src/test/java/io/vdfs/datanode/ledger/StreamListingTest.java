package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.ListStreamsQuery;
import io.vdfs.common.wire.proto.ListStreamsResult;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
import io.vdfs.datanode.ledger.state.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StreamListingTest {
  /** Most streams of one page. */
  private static final int MOST_STREAMS = 100;

  private static final Caller BOB = new Caller("bob", false);
  private static final int NODES = 4;

  private final LedgerHost host = new LedgerHost();

  private ByteString create(long id, Caller owner, int nodes) throws VdfsException {
    TestStream stream = new TestStream(id, 2, nodes, 2).file(60, 0);
    for (LedgerRequest chunk : stream.chunks(1)) {
      host.call(chunk, owner, 1_000_000);
    }
    host.call(stream.seal(), owner, 1_000_000);
    return stream.id();
  }

  private ListStreamsResult list(Caller caller, ByteString after, int most) throws VdfsException {
    return list(caller, ListStreamsQuery.newBuilder().setAfter(after).setMost(most));
  }

  private ListStreamsResult list(Caller caller, ListStreamsQuery.Builder query)
      throws VdfsException {
    return host.query(LedgerQuery.newBuilder().setList(query).build(), caller).getList();
  }

  private List<ByteString> ids(Caller caller) throws VdfsException {
    return ids(list(caller, ByteString.EMPTY, 0));
  }

  private static List<ByteString> ids(ListStreamsResult page) {
    return page.getStreamsList().stream().map(ListedStream::getStreamId).toList();
  }

  @Test
  void shouldShowEachUserItsOwnStreamsAndASuperuserAll() throws VdfsException {
    ByteString first = create(1, LedgerHost.USER, 2);
    ByteString second = create(2, BOB, 2);
    ByteString third = create(3, LedgerHost.USER, 2);
    assertEquals(List.of(first, third), ids(LedgerHost.USER));
    assertEquals(List.of(second), ids(BOB));
    assertEquals(List.of(), ids(new Caller("carol", false)));
    assertEquals(List.of(first, second, third), ids(LedgerHost.SUPERUSER));
    assertFalse(list(LedgerHost.SUPERUSER, ByteString.EMPTY, 0).getMore());
    assertEquals(
        List.of(third), ids(list(LedgerHost.USER, second, 0)), "behind another user's stream");
  }

  @Test
  void shouldAnswerPageByPage() throws VdfsException {
    List<ByteString> all = new ArrayList<>();
    for (int id = 1; id <= 2 * MOST_STREAMS + 1; id++) {
      all.add(create(id, id % 3 == 0 ? BOB : LedgerHost.USER, 1));
    }
    for (int most : new int[] {0, 7, MOST_STREAMS, -1, Integer.MAX_VALUE}) {
      List<ByteString> found = new ArrayList<>();
      ListStreamsResult page = list(LedgerHost.SUPERUSER, ByteString.EMPTY, most);
      found.addAll(ids(page));
      while (page.getMore()) {
        assertEquals(most == 7 ? 7 : MOST_STREAMS, page.getStreamsCount());
        page = list(LedgerHost.SUPERUSER, found.get(found.size() - 1), most);
        found.addAll(ids(page));
      }
      assertEquals(all, found, "most=" + most);
    }
  }

  @Test
  void shouldGiveFewLargeStreamsAtOnceButAlwaysOne() throws VdfsException {
    for (int id = 1; id <= 3; id++) {
      create(id, LedgerHost.USER, id == 2 ? 30_000 : 12_000);
    }
    ListStreamsResult page = list(LedgerHost.USER, ByteString.EMPTY, 0);
    assertEquals(1, page.getStreamsCount());
    assertTrue(page.getMore());
    page = list(LedgerHost.USER, page.getStreams(0).getStreamId(), 0);
    assertEquals(30_000, page.getStreams(0).getStatus().getNodesCount());
    assertEquals(1, page.getStreamsCount());
    assertTrue(page.getMore());
    page = list(LedgerHost.USER, page.getStreams(0).getStreamId(), 0);
    assertEquals(1, page.getStreamsCount());
    assertFalse(page.getMore());
  }

  @Test
  void shouldRefuseWhatIsNoId() {
    assertFails(
        ErrorCode.INVALID_ARGUMENT,
        "16 bytes",
        () -> list(LedgerHost.USER, ByteString.copyFromUtf8("x"), 0));
  }

  @Test
  void shouldLeaveOutStreamsOfWhichAllTasksHaveEndedUnlessAskedForThem() throws VdfsException {
    ByteString first = create(1, LedgerHost.USER, 2);
    ByteString second = create(2, LedgerHost.USER, 2);
    host.call(Requests.close(first, 0), LedgerHost.USER, 1_000_000);
    assertEquals(List.of(first, second), ids(LedgerHost.USER), "a task is left");
    StreamTotals none = StreamTotals.getDefaultInstance();
    host.call(Requests.stop(first, 1, 0, none), LedgerHost.USER, 1_000_000);
    for (int time = 0; time < 2; time++) {
      assertEquals(List.of(second), ids(LedgerHost.USER));
      ListStreamsResult all = list(LedgerHost.USER, ListStreamsQuery.newBuilder().setEnded(true));
      assertEquals(List.of(first, second), ids(all));
      assertEquals(2, all.getStreams(0).getEndedTasks());
      assertEquals(0, all.getStreams(1).getEndedTasks());
      host.takeSnapshot();
      host.changeLeader();
    }
  }

  @Test
  void shouldShowAStreamThatIsNotSealed() throws VdfsException {
    TestStream stream = new TestStream(1, 2, 2, 2).file(60, 0).file(60, 1);
    host.call(stream.chunks(2).get(0), LedgerHost.USER, 1_000_000);
    ListedStream listed = list(LedgerHost.USER, ByteString.EMPTY, 0).getStreams(0);
    assertFalse(listed.getStatus().getSealed());
    assertEquals("/in/part-0", listed.getFirstPath());
    assertEquals("alice", listed.getStatus().getOwner());
    assertEquals(2, listed.getTasks());
    assertEquals(0, listed.getDrawingTasks() + listed.getEndedTasks());
    host.call(Requests.release(stream.id()), LedgerHost.USER, 1_000_000);
    assertEquals(0, list(LedgerHost.USER, ByteString.EMPTY, 0).getStreamsCount());
  }

  /** What is kept with each run drawn is what the runs say, also on a replica that takes over. */
  @Test
  void shouldCountByNodeWhatTasksDrew() throws VdfsException {
    for (int seed = 0; seed < 30; seed++) {
      assertCounts(new Random(seed));
    }
  }

  private static void assertCounts(Random random) throws VdfsException {
    int tasks = 6;
    StreamDriver driver =
        StreamDriver.created(
            new TestStream(1, tasks, NODES, 2).file(700, 0, 1, 2, 3).file(90, 3).file(0));
    long[] local = new long[NODES];
    long[] stolen = new long[NODES];
    long[] lost = new long[NODES];
    int[] position = new int[tasks];
    int[] last = new int[tasks];
    boolean[] ended = new boolean[tasks];
    for (int step = random.nextInt(60); step >= 0; step--) {
      int task = random.nextInt(tasks);
      int node = random.nextInt(NODES + 1) - 1;
      if (ended[task]) {
        continue;
      }
      if (random.nextInt(10) == 0) {
        ended[task] = driver.close(task).getClosed();
        continue;
      }
      NextRunResult result = driver.next(task, position[task], node, 1 + random.nextInt(3));
      if (result.hasRun()) {
        count(result.getRun(), node, local, stolen, lost);
        position[task]++;
        last[task] = node;
      }
      if (random.nextInt(20) == 0) {
        driver.host.takeSnapshot();
      }
      if (random.nextInt(10) == 0) {
        driver.host.changeLeader();
      }
    }
    ListedStream listed =
        driver
            .host
            .query(
                LedgerQuery.newBuilder()
                    .setList(ListStreamsQuery.newBuilder().setEnded(true))
                    .build(),
                LedgerHost.USER)
            .getList()
            .getStreams(0);
    int drawing = 0;
    int closed = 0;
    int[] drawingOn = new int[NODES];
    for (int task = 0; task < tasks; task++) {
      boolean draws = position[task] > 0 && !ended[task];
      drawing += draws ? 1 : 0;
      closed += ended[task] ? 1 : 0;
      if (draws && last[task] >= 0) {
        drawingOn[last[task]]++;
      }
    }
    assertEquals(drawing, listed.getDrawingTasks());
    assertEquals(closed, listed.getEndedTasks());
    assertEquals(0, listed.getStatus().getTasksCount());
    assertEquals(driver.status().getNodesList(), listed.getStatus().getNodesList());
    for (int node = 0; node < NODES; node++) {
      StreamNodeStatus status = listed.getStatus().getNodes(node);
      assertEquals(local[node], status.getLocalBlocks());
      assertEquals(stolen[node], status.getStolenBlocks());
      assertEquals(lost[node], status.getLostBlocks());
      assertEquals(drawingOn[node], status.getDrawingTasks());
    }
  }

  private static void count(StreamRun run, int node, long[] local, long[] stolen, long[] lost) {
    int owner = 0;
    while (!TestStream.node(owner).equals(run.getOwner())) {
      owner++;
    }
    assertEquals(owner != node, run.getStolen());
    if (owner == node) {
      local[owner] += run.getBlockCount();
    } else {
      lost[owner] += run.getBlockCount();
      if (node >= 0) {
        stolen[node] += run.getBlockCount();
      }
    }
  }
}

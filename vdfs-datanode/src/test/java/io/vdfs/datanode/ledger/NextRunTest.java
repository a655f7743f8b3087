package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static io.vdfs.datanode.ledger.StreamDriver.text;
import static io.vdfs.datanode.ledger.StreamDriver.texts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.datanode.ledger.state.Caller;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NextRunTest {
  @Test
  void shouldTakeFromFrontOfOwnPoolInDiskOrder() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 4).file(100, 0, 1));
    assertEquals("0:0+1", text(driver.run(0, 0, 0, 8)));
    assertEquals("0:1+3", text(driver.run(0, 1, 0, 8)), "up to the end of the group");
    assertEquals("0:8+2", text(driver.run(0, 2, 0, 8)), "next group of this node");
  }

  @Test
  void shouldDescribeRun() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 4).file(0).file(25, 0));
    driver.run(0, 0, 0, 1);
    driver.run(0, 1, 0, 1);
    NextRunResult result = driver.next(0, 2, 0, 1);
    StreamRun run = result.getRun();
    assertEquals(1, run.getFileIndex());
    assertEquals(101, run.getFile().getFileId());
    assertEquals(1, run.getFile().getGeneration());
    assertEquals(25, run.getFileLength());
    assertEquals("/in/part-1", run.getPath());
    assertEquals(20, run.getOffset());
    assertEquals(5, run.getBytes(), "the last block is short");
    assertEquals(TestStream.node(0), run.getOwner());
    assertFalse(run.getStolen());
    assertEquals(3, result.getStreamBlocks());
    assertEquals(0, result.getRemainingBlocks());
  }

  @Test
  void shouldShrinkRunsNearTheEnd() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 1, 64).file(400, 0));
    assertEquals(
        List.of("0:0+1", "0:1+8", "0:9+8", "0:17+6", "0:23+5", "0:28+3", "0:31+3", "0:34+2"),
        texts(driver.drain(0, 0, 8).got).subList(0, 8));
  }

  @Test
  void shouldGiveWholeGroupsToRowGroupFormats() throws VdfsException {
    TestStream rows = new TestStream(1, 3, 2, 4).file(95, 0, 1);
    rows.header().setWholeGroups(true);
    StreamDriver driver = StreamDriver.created(rows);
    assertEquals("0:0+4", text(driver.run(0, 0, 0, 1)));
    assertEquals("0:4+4", text(driver.run(1, 0, 1, 1)));
    assertEquals("0:8+2*", text(driver.run(1, 1, 1, 1)), "the last group is short");
  }

  @Test
  void shouldEndTasksWithTheirNodeWithoutStealing() throws VdfsException {
    TestStream fixed = new TestStream(1, 3, 2, 2).file(80, 0, 1);
    fixed.header().setNoStealing(true);
    StreamDriver driver = StreamDriver.created(fixed);
    assertEquals(
        List.of("0:0+1", "0:1+1", "0:4+1", "0:5+1"),
        texts(driver.drain(0, 0, 1).got),
        "its node's");
    EndOfTask end = driver.end(0, 4, 0);
    assertTrue(end.getClosed());
    assertEquals(8, end.getStream().getBlocks());
    assertEquals(List.of(), texts(driver.drain(1, 0, 1).got), "a second task of the node");
    assertEquals(List.of("0:2+1", "0:3+1", "0:6+1", "0:7+1"), texts(driver.drain(2, 1, 1).got));
    assertEquals(0, driver.status().getNodes(1).getLostBlocks());
    assertFalse(driver.end(2, 4, 1).getClosed(), "the last one drains what is left");
  }

  @Test
  void shouldLetTheLastTaskStealWhatNoOtherTaskWould() throws VdfsException {
    TestStream fixed = new TestStream(1, 2, 2, 2).file(80, 0, 1);
    fixed.header().setNoStealing(true);
    StreamDriver driver = StreamDriver.created(fixed);
    driver.drain(0, 0, 1);
    assertEquals(4, driver.drain(1, 0, 1).got.size(), "no task runs on the other node");
    assertEquals(0, driver.status().getRemainingBlocks());
  }

  @Test
  void shouldRepeatListToEveryAttempt() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 2, 2).file(80, 0, 1));
    StreamRun first = driver.run(0, 0, 0, 4);
    StreamRun second = driver.run(0, 1, 0, 4);
    int records = driver.host.log().size();
    assertEquals(first, driver.run(0, 0, 1, 1), "another node, another size, the same run");
    assertEquals(second, driver.run(0, 1, -1, 9));
    assertEquals(records, driver.host.log().size(), "a repeated answer needs no record");
  }

  @Test
  void shouldSayWhetherRunsWereTakenNow() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 2).file(30, 0));
    assertTrue(driver.next(0, 0, 0, 4).getTaken());
    assertFalse(driver.next(0, 0, 0, 4).getTaken());
    assertTrue(driver.next(0, 1, 1, 4).getTaken(), "stolen");
    assertFalse(driver.next(several(driver, 0, 8, 64)).getTaken(), "a re-run");
    driver.run(0, 2, 0, 4);
    assertFalse(driver.next(0, 3, 0, 4).getTaken(), "END");
  }

  @Test
  void shouldServeListsAfterEndAndAfterChangeOfLeader() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 2, 2).file(80, 0, 1));
    SimulatedAttempt attempt = driver.drain(0, 0, 3);
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertEquals(attempt.got, driver.drain(0, 1, 1).got);
    assertEquals(0, driver.drain(1, 1, 1).got.size(), "nothing is left to a task that starts late");
  }

  @Test
  void shouldEndWithCounts() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 1, 2).file(25, 0).file(0));
    SimulatedAttempt other = new SimulatedAttempt(1, 0, 0, 1);
    other.got.add(driver.run(1, 0, 0, 1));
    SimulatedAttempt attempt = driver.drain(0, 0, 1);
    EndOfTask end = driver.end(0, 2, 0);
    assertEquals(2, end.getRuns());
    assertEquals(attempt.processed(), end.getTask());
    assertEquals(3, end.getStream().getBlocks());
    assertEquals(25, end.getStream().getBytes());
    assertEquals(
        attempt.processed().getDigest() + other.processed().getDigest(),
        end.getStream().getDigest());
    assertFalse(end.getClosed());
  }

  @Test
  void shouldEndAtOnceWithoutBlocks() throws VdfsException {
    StreamDriver none = StreamDriver.created(new TestStream(1, 1, 0, 1));
    assertEquals(0, none.end(0, 0, 0).getStream().getBlocks());
    StreamDriver empty = StreamDriver.created(new TestStream(1, 3, 1, 1).file(0).file(0));
    assertEquals(0, empty.end(2, 0, 0).getRuns());
  }

  @Test
  void shouldEndTasksBeyondNumberOfBlocks() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 5, 1, 4).file(20, 0));
    driver.run(0, 0, 0, 4);
    driver.run(4, 0, 0, 4);
    for (int task = 1; task < 4; task++) {
      driver.end(task, 0, 0);
    }
    assertEquals(1, driver.end(0, 1, 0).getRuns());
  }

  @Test
  void shouldStealFromTheEndOfTheNodeThatWouldFinishLast() throws VdfsException {
    TestStream stream = new TestStream(1, 1, 3, 4).file(10, 0).file(30, 1).file(80, 2);
    StreamDriver driver = StreamDriver.created(stream);
    assertEquals("0:0+1", text(driver.run(0, 0, 0, 2)));
    assertEquals("2:6+2*", text(driver.run(0, 1, 0, 2)));
    assertEquals("2:4+2*", text(driver.run(0, 2, 0, 3)), "within one group, read forward");
    assertEquals("2:1+3*", text(driver.run(0, 3, 0, 3)));
    assertEquals(TestStream.node(2), driver.run(0, 3, 0, 3).getOwner());
    assertEquals("1:1+2*", text(driver.run(0, 4, 0, 3)), "now node 1 has most, guided to two");
  }

  @Test
  void shouldStealFromNeighbourWhoseReplicasTheAskerHolds() throws VdfsException {
    TestStream stream = new TestStream(1, 1, 3, 1).file(20, 1).file(90, 2);
    stream.header().getNodesBuilder(0).addNeighbours(1);
    StreamDriver driver = StreamDriver.created(stream);
    assertEquals("0:1+1*", text(driver.run(0, 0, 0, 1)));
    assertEquals("0:0+1*", text(driver.run(0, 1, 0, 1)));
    assertEquals("1:8+1*", text(driver.run(0, 2, 0, 1)), "nobody near has any left");
  }

  @Test
  void shouldRememberWhatNodesHaveTakenWhenRestored() throws VdfsException {
    StreamDriver driver =
        StreamDriver.created(new TestStream(1, 2, 3, 16).file(40, 1).file(120, 2));
    for (int position = 0; position < 6; position++) {
      driver.run(0, position, 2, 1);
    }
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertEquals("0:3+1*", text(driver.run(1, 0, 0, 1)), "node 2 has more left and is quicker");
  }

  @Test
  void shouldDrainNodeWithoutTasks() throws VdfsException {
    StreamDriver driver =
        StreamDriver.created(new TestStream(1, 1, 4, 2).file(200, 0, 1, 2, 3).file(70, 3));
    SimulatedAttempt attempt = driver.drain(0, 1, 2);
    assertEquals(27, attempt.processed().getBlocks());
    StreamStatusResult status = driver.status();
    StreamNodeStatus idle = status.getNodes(3);
    assertEquals(0, idle.getRemainingBlocks());
    assertEquals(0, idle.getLocalBlocks());
    assertEquals(11, idle.getLostBlocks());
    StreamNodeStatus busy = status.getNodes(1);
    assertEquals(27, busy.getLocalBlocks() + busy.getStolenBlocks());
    assertEquals(busy.getStolenBlocks(), status.getTasks(0).getStolenBlocks());
  }

  @Test
  void shouldServeAskerThatIsNoNodeOfTheStream() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 2).file(60, 0, 1));
    assertTrue(driver.run(0, 0, -1, 1).getStolen());
    assertTrue(driver.run(0, 1, 55, 1).getStolen());
    assertEquals(6, driver.drain(0, -1, 1).processed().getBlocks());
  }

  @Test
  void shouldTellTwoTakersApart() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 2, 8).file(20, 0));
    assertEquals("0:0+1", text(driver.run(0, 0, 0, 1)));
    assertEquals("0:1+1*", text(driver.run(1, 0, 1, 1)));
    driver.end(0, 1, 0);
    driver.end(1, 1, 1);
  }

  @Test
  void shouldRefuseWrongTaskAndPosition() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 1, 2).file(50, 0));
    driver.run(0, 0, 0, 1);
    invalid("tasks=2", driver, 2, 0, 1);
    invalid("task=4294967295", driver, -1, 0, 1);
    invalid("runs=1", driver, 0, 2, 1);
    invalid("position=4294967295", driver, 0, -1, 1);
    invalid("wanted=0", driver, 0, 1, 0);
  }

  @Test
  void shouldNeverServeUnknownOrUnsealedStream() throws VdfsException {
    StreamDriver driver = new StreamDriver(new TestStream(1, 1, 1, 1).file(10, 0));
    assertFails(ErrorCode.NOT_FOUND, "no such stream", () -> driver.next(0, 0, 0, 1));
    assertEquals(0, driver.host.ledger().streamCount());
    driver.host.call(driver.stream.chunks(1).get(0), LedgerHost.USER, driver.time);
    invalid("not sealed", driver, 0, 0, 1);
  }

  @Test
  void shouldServeOnlyOwnerAndSuperuser() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 1).file(30, 0));
    LedgerRequest draw = Requests.of(Requests.next(driver.stream.id(), 0, 0, 0, 1));
    Caller mallory = new Caller("mallory", false);
    assertFails(
        ErrorCode.PERMISSION_DENIED, "caller=mallory", () -> driver.host.call(draw, mallory, 1));
    assertFails(
        ErrorCode.PERMISSION_DENIED,
        "owner=alice",
        () -> driver.host.query(Requests.status(driver.stream.id()), mallory));
    assertTrue(driver.host.call(draw, LedgerHost.SUPERUSER, 1).getNext().hasRun());
  }

  @Test
  void shouldCheckWhatAttemptProcessed() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 2).file(30, 0));
    SimulatedAttempt attempt = new SimulatedAttempt(0, 0, 0, 1);
    for (int position = 0; position < 3; position++) {
      attempt.got.add(driver.next(withStats(driver, attempt, position)).getRun());
    }
    SimulatedAttempt forgetful = new SimulatedAttempt(0, 1, 0, 1);
    forgetful.got.addAll(attempt.got.subList(0, 2));
    assertFails(
        ErrorCode.CORRUPT,
        "processed=[blocks=2",
        () -> driver.next(withStats(driver, forgetful, 3)));
    driver.next(withStats(driver, forgetful, 2));
    assertFalse(driver.status().getTasks(0).getFinished());
    assertTrue(driver.next(withStats(driver, attempt, 3)).hasEnd());
    assertTrue(driver.status().getTasks(0).getFinished());
    int records = driver.host.log().size();
    driver.next(withStats(driver, attempt, 3));
    assertEquals(records, driver.host.log().size());
  }

  @Test
  void shouldHandOutThousandsOfSmallFiles() throws VdfsException {
    TestStream stream = new TestStream(1, 8, 5, 16);
    for (int file = 0; file < 5000; file++) {
      stream.file(file % 10, file % 5);
    }
    StreamDriver driver = StreamDriver.created(stream);
    Set<Integer> files = new HashSet<>();
    for (int task = 0; task < 8; task++) {
      for (StreamRun run : driver.drain(task, task % 5, 4).got) {
        assertEquals(1, run.getBlockCount(), "a run never spans two files");
        assertTrue(files.add(run.getFileIndex()));
      }
    }
    assertEquals(4500, files.size(), "all but the empty ones");
  }

  @Test
  void shouldGiveSeveralSmallFilesAtOnce() throws VdfsException {
    TestStream stream = new TestStream(1, 1, 2, 16);
    for (int file = 0; file < 40; file++) {
      stream.file(10, file % 2);
    }
    StreamDriver driver = StreamDriver.created(stream);
    driver.run(0, 0, 0, 8);
    NextRunResult result = driver.next(several(driver, 1, 8, 64));
    assertEquals("2:0+1", text(result.getRun()));
    assertEquals(
        List.of("4:0+1", "6:0+1", "8:0+1", "10:0+1", "12:0+1", "14:0+1", "16:0+1"),
        texts(result.getFollowingList()),
        "in all the eight that were wanted");
    assertEquals(31, result.getRemainingBlocks());
    int records = driver.host.log().size();
    NextRunResult again = driver.next(several(driver, 1, 1, 64));
    assertEquals(result.getRun(), again.getRun());
    assertEquals(result.getFollowingList(), again.getFollowingList(), "the list, as it stands");
    assertEquals(List.of("6:0+1"), texts(driver.next(several(driver, 2, 8, 2)).getFollowingList()));
    assertEquals(records, driver.host.log().size());
  }

  @Test
  void shouldGiveSeveralRunsOfOneFileWithinGroups() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 4).file(200, 0));
    driver.run(0, 0, 0, 1);
    NextRunResult result = driver.next(several(driver, 1, 9, 64));
    assertEquals("0:1+3", text(result.getRun()));
    assertEquals(List.of("0:4+4", "0:8+2"), texts(result.getFollowingList()));
  }

  @Test
  void shouldStealSeveralRunsFromTheEnd() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 4).file(200, 1));
    driver.run(0, 0, 0, 1);
    NextRunResult result = driver.next(several(driver, 1, 5, 2));
    assertEquals("0:16+3*", text(result.getRun()));
    assertEquals(List.of("0:14+2*"), texts(result.getFollowingList()));
  }

  @Test
  void shouldGiveRowGroupFormatsOneGroupAtATime() throws VdfsException {
    TestStream rows = new TestStream(1, 1, 1, 4).file(200, 0);
    rows.header().setWholeGroups(true);
    StreamDriver driver = StreamDriver.created(rows);
    NextRunResult result = driver.next(several(driver, 0, 64, 64));
    assertEquals("0:0+4", text(result.getRun()));
    assertEquals(0, result.getFollowingCount());
  }

  private static NextRunOp.Builder several(
      StreamDriver driver, int position, int wanted, int mostRuns) {
    return Requests.next(driver.stream.id(), 0, position, 0, wanted).setMostRuns(mostRuns);
  }

  private static NextRunOp.Builder withStats(
      StreamDriver driver, SimulatedAttempt attempt, int position) {
    return Requests.next(driver.stream.id(), attempt.task, position, 0, 1)
        .setProcessed(attempt.processed());
  }

  private static void invalid(String part, StreamDriver driver, int task, int pos, int wanted) {
    assertFails(ErrorCode.INVALID_ARGUMENT, part, () -> driver.next(task, pos, 0, wanted));
  }
}

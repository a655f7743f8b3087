package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.datanode.ledger.draw.YieldRule;
import org.junit.jupiter.api.Test;

class YieldRuleTest {
  private static final int RUNNING = 8;

  private final LedgerHost host = new LedgerHost();
  private long time = 1_000_000;

  /** Eight tasks at once, of a pool that is never emptied here; all have drawn. */
  private final TestStream busy = stream(1, RUNNING, RUNNING, 400);

  private final int[] positions = new int[2 * RUNNING];

  @Test
  void shouldYieldWhileALaterJobHasNotDrawn() throws VdfsException {
    begin();
    assertTrue(draw(0, true).hasRun(), "nobody waits");
    create(stream(2, 3, 0, 5));
    NextRunResult answer = draw(0, true);
    assertTrue(answer.getEnd().getClosed());
    assertTrue(answer.getEnd().getYielded());
    assertEquals(positions[0], answer.getEnd().getRuns());
    assertTrue(status(0).getYielded());
    assertTrue(draw(1, false).hasRun(), "it has not worked long enough");
    assertTrue(draw(1, true).hasEnd());
    next(2, 0, 0, false);
    assertTrue(draw(2, true).hasRun(), "the other job draws");
  }

  @Test
  void shouldSayAgainWhyTheListEnded() throws VdfsException {
    begin();
    create(stream(2, 3, 0, 5));
    draw(0, true);
    assertTrue(draw(0, false).getEnd().getYielded(), "the question asked ahead is repeated");
  }

  @Test
  void shouldYieldAtMostHalfOfTheTasks() throws VdfsException {
    begin();
    create(stream(2, 30, 0, 50));
    assertEquals(RUNNING / 2, yields());
    create(stream(3, 30, 0, 50));
    assertEquals(0, yields(), "the first one still waits");
    next(2, 0, 0, false);
    next(3, 0, 0, false);
    create(stream(4, 30, 0, 50));
    assertEquals(RUNNING / 4, yields(), "of what was left");
  }

  @Test
  void shouldYieldNoMoreThanTheWaitingJobCanUse() throws VdfsException {
    begin();
    create(stream(2, 1, 0, 5));
    assertEquals(2, yields(), "for its master and its task");
    create(stream(3, 1, 1, 5));
    assertEquals(2, yields(), "its surplus task does not run yet");
    create(stream(4, 1, 0, 5));
    assertEquals(0, yields(), "half of the tasks have yielded and the last job still waits");
  }

  @Test
  void shouldYieldOneContainerForTheMasterBeforeTheTasksAreAskedFor() throws VdfsException {
    begin();
    TestStream waiting = stream(2, 30, 0, 50);
    seal(waiting);
    assertEquals(1, yields());
    host.takeSnapshot();
    host.changeLeader();
    assertEquals(0, yields());
    call(Requests.begin(waiting.id()));
    host.takeSnapshot();
    host.changeLeader();
    assertEquals(RUNNING / 2 - 1, yields());
  }

  @Test
  void shouldKeepTheOnlyYieldForATask() throws VdfsException {
    TestStream three = stream(5, 3, 2, 100);
    create(three);
    for (int task = 0; task < 3; task++) {
      next(5, task, 0, false);
    }
    time++;
    TestStream waiting = stream(6, 3, 0, 5);
    seal(waiting);
    assertTrue(next(5, 0, 1, true).hasRun());
    call(Requests.begin(waiting.id()));
    assertTrue(next(5, 1, 1, true).getEnd().getYielded());
    assertTrue(next(5, 2, 1, true).hasRun());
  }

  @Test
  void shouldNotWaitForTheMasterOfAJobWithoutAudit() throws VdfsException {
    begin();
    TestStream waiting = stream(2, 30, 0, 50);
    waiting.header().setAudited(false);
    seal(waiting);
    assertEquals(RUNNING / 2, yields());
  }

  @Test
  void shouldSayOnceThatTheMasterRuns() throws VdfsException {
    create(busy);
    int records = host.log().size();
    call(Requests.begin(busy.id()));
    assertEquals(records, host.log().size());
  }

  @Test
  void shouldNotYieldToAJobThatCameBefore() throws VdfsException {
    create(stream(2, 3, 0, 5));
    time++;
    begin();
    assertEquals(0, yields());
  }

  @Test
  void shouldForgetAJobThatNeverComes() throws VdfsException {
    begin();
    create(stream(2, 30, 0, 5));
    time += YieldRule.LONGEST_WAIT.toMillis();
    assertTrue(draw(0, true).hasEnd());
    time++;
    assertEquals(0, yields());
    create(stream(3, 30, 0, 50));
    assertEquals((RUNNING - 1) / 2, yields(), "half of what still runs");
  }

  @Test
  void shouldForgetAJobThatIsGivenUp() throws VdfsException {
    begin();
    create(stream(2, 30, 0, 5));
    call(Requests.release(stream(2, 1, 0, 1).id()));
    assertEquals(0, yields());
  }

  @Test
  void shouldCloseNoMoreListsThanThereAreSurplusTasks() throws VdfsException {
    TestStream few = stream(5, RUNNING, 1, 100);
    create(few);
    for (int task = 0; task < RUNNING; task++) {
      next(5, task, 0, false);
    }
    time++;
    create(stream(6, 3, 0, 5));
    assertTrue(next(5, 0, 1, true).getEnd().getYielded());
    assertTrue(next(5, 1, 1, true).hasRun());
  }

  @Test
  void shouldNotYieldBeforeTheFirstRun() throws VdfsException {
    begin();
    create(stream(2, 3, 0, 5));
    assertTrue(next(1, RUNNING, 0, true).hasRun());
  }

  @Test
  void shouldNotYieldWithoutSurplusTasks() throws VdfsException {
    create(stream(5, 2, 0, 100));
    next(5, 0, 0, false);
    next(5, 1, 0, false);
    time++;
    create(stream(6, 3, 0, 5));
    assertTrue(next(5, 0, 1, true).hasRun());
  }

  @Test
  void shouldKeepWhatItKnowsOverASnapshot() throws VdfsException {
    begin();
    create(stream(2, 30, 0, 50));
    draw(0, true);
    draw(1, true);
    byte[] before = LedgerHost.canonical(host.ledger());
    host.takeSnapshot();
    host.changeLeader();
    assertArrayEquals(before, LedgerHost.canonical(host.ledger()));
    assertTrue(status(1).getYielded());
    assertFalse(status(2).getYielded());
    assertEquals(RUNNING / 2 - 2, yields());
    host.changeLeader();
    assertEquals(0, yields());
  }

  @Test
  void shouldCountWhatAWaitingJobGotOverASnapshot() throws VdfsException {
    begin();
    create(stream(2, 1, 0, 5));
    draw(0, true);
    host.takeSnapshot();
    host.changeLeader();
    assertEquals(1, yields());
  }

  @Test
  void shouldRefuseMoreSurplusTasksThanTasks() {
    TestStream stream = stream(5, 0, 3, 10);
    assertFails(ErrorCode.INVALID_ARGUMENT, "surplusTasks=3", () -> create(stream));
    TestStream unaudited = stream(5, 2, 1, 10);
    unaudited.header().setAudited(false);
    assertFails(ErrorCode.INVALID_ARGUMENT, "audited=false", () -> create(unaudited));
    TestStream negative = stream(5, 2, -1, 10);
    assertFails(ErrorCode.INVALID_ARGUMENT, "surplusTasks=4294967295", () -> create(negative));
  }

  private static TestStream stream(long id, int atOnce, int surplus, int blocks) {
    TestStream stream = new TestStream(id, atOnce + surplus, 1, 4);
    stream.header().setSurplusTasks(surplus);
    return stream.file((long) blocks * TestStream.BLOCK_SIZE, 0);
  }

  /** A job whose master runs. */
  private void create(TestStream stream) throws VdfsException {
    seal(stream);
    call(Requests.begin(stream.id()));
  }

  private void seal(TestStream stream) throws VdfsException {
    for (LedgerRequest chunk : stream.chunks(1)) {
      call(chunk);
    }
    call(stream.seal());
  }

  /** The tasks of the busy job draw; others may come from now on. */
  private void begin() throws VdfsException {
    create(busy);
    for (int task = 0; task < RUNNING; task++) {
      draw(task, false);
    }
    time++;
  }

  /** How many tasks of the busy job yield if all ask. */
  private int yields() throws VdfsException {
    int yields = 0;
    for (int task = 0; task < RUNNING; task++) {
      if (!status(task).getClosed() && draw(task, true).hasEnd()) {
        yields++;
      }
    }
    return yields;
  }

  private NextRunResult draw(int task, boolean mayYield) throws VdfsException {
    NextRunResult result = next(1, task, positions[task], mayYield);
    if (result.hasRun()) {
      positions[task]++;
    }
    return result;
  }

  private NextRunResult next(long stream, int task, int position, boolean mayYield)
      throws VdfsException {
    ByteString id = stream(stream, 1, 0, 1).id();
    NextRunOp.Builder next = Requests.next(id, task, position, 0, 1).setMayYield(mayYield);
    return host.call(Requests.of(next), LedgerHost.USER, time).getNext();
  }

  private StreamTaskStatus status(int task) throws VdfsException {
    return host.query(Requests.status(busy.id()), LedgerHost.USER).getStatus().getTasks(task);
  }

  private void call(LedgerRequest request) throws VdfsException {
    host.call(request, LedgerHost.USER, time);
  }
}

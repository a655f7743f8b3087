package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.EndOfTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CloseTaskTest {
  @Test
  void shouldEndListWhileOthersDraw() throws VdfsException {
    StreamDriver driver = twoTasks();
    driver.run(0, 0, 0, 1);
    CloseTaskResult closed = driver.close(0);
    assertTrue(closed.getClosed());
    assertEquals(1, closed.getRuns());
    EndOfTask end = driver.end(0, 1, 0);
    assertTrue(end.getClosed());
    assertEquals(1, end.getTask().getBlocks());
    assertEquals(5, driver.drain(1, 0, 1).processed().getBlocks());
  }

  @Test
  void shouldStillReplayClosedList() throws VdfsException {
    StreamDriver driver = twoTasks();
    SimulatedAttempt attempt = new SimulatedAttempt(0, 0, 0, 1);
    attempt.got.add(driver.run(0, 0, 0, 1));
    attempt.got.add(driver.run(0, 1, 0, 1));
    driver.close(0);
    assertEquals(attempt.got, driver.drain(0, 0, 9).got);
  }

  @Test
  void shouldRefuseToCloseLastOpenTask() throws VdfsException {
    StreamDriver driver = twoTasks();
    assertTrue(driver.close(1).getClosed());
    assertFalse(driver.close(0).getClosed());
    assertEquals(6, driver.drain(0, 0, 2).processed().getBlocks());
  }

  @Test
  void shouldCloseOnce() throws VdfsException {
    StreamDriver driver = twoTasks();
    driver.close(0);
    int records = driver.host.log().size();
    assertTrue(driver.close(0).getClosed(), "a repeated call has the same outcome");
    assertEquals(records, driver.host.log().size());
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertFalse(driver.close(1).getClosed(), "the guard survives a snapshot");
  }

  @Test
  void shouldNotCloseOnlyTask() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 1).file(20, 0));
    assertFalse(driver.close(0).getClosed());
  }

  @Test
  void shouldRefuseWithoutAudit() throws VdfsException {
    TestStream stream = new TestStream(1, 2, 1, 2).file(60, 0);
    stream.header().setAudited(false);
    StreamDriver driver = StreamDriver.created(stream);
    assertFails(ErrorCode.INVALID_ARGUMENT, "audited", () -> driver.close(0));
  }

  @Test
  void shouldRefuseUnknownTask() throws VdfsException {
    StreamDriver driver = twoTasks();
    assertFails(ErrorCode.INVALID_ARGUMENT, "task=2", () -> driver.close(2));
  }

  @Test
  void shouldCloseTheLastOpenTaskWhenItsMapperStopped() throws VdfsException {
    StreamDriver driver = twoTasks();
    driver.close(1);
    SimulatedAttempt attempt = new SimulatedAttempt(0, 0, 0, 1);
    attempt.got.add(driver.run(0, 0, 0, 1));
    driver.run(0, 1, 0, 1);
    CloseTaskResult stopped = driver.stop(attempt);
    assertTrue(stopped.getClosed());
    assertEquals(2, stopped.getRuns(), "of which it processed one");
    assertTrue(driver.end(0, 2, 0).getClosed(), "nobody draws for it any more");
  }

  @Test
  void shouldNotCountOnATaskWhoseMapperStopped() throws VdfsException {
    StreamDriver driver = twoTasks();
    driver.stop(new SimulatedAttempt(0, 0, 0, 1));
    assertFalse(driver.close(1).getClosed());
    assertEquals(6, driver.drain(1, 0, 1).processed().getBlocks());
  }

  @Test
  void shouldRememberThatAMapperStopped() throws VdfsException {
    StreamDriver driver = twoTasks();
    driver.close(0);
    driver.stop(new SimulatedAttempt(0, 0, 0, 1));
    int records = driver.host.log().size();
    driver.stop(new SimulatedAttempt(0, 0, 0, 1));
    assertEquals(records, driver.host.log().size(), "a repeated call changes nothing");
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertTrue(driver.status().getTasks(0).getStopped());
    assertFalse(driver.status().getTasks(1).getStopped());
  }

  @Test
  void shouldRefuseAStopAfterAnythingButABeginningOfTheList() throws VdfsException {
    StreamDriver driver = twoTasks();
    SimulatedAttempt attempt = new SimulatedAttempt(0, 0, 0, 1);
    attempt.got.add(driver.run(1, 0, 0, 1));
    assertFails(ErrorCode.CORRUPT, "task=0, runs=1", () -> driver.stop(attempt));
    driver.run(0, 0, 0, 1);
    assertFails(ErrorCode.CORRUPT, "task=0, runs=1", () -> driver.stop(attempt));
    assertFalse(driver.status().getTasks(0).getStopped());
  }

  @Test
  void shouldCountATaskOnceThatWasClosedAndThenStopped() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 3, 1, 2).file(60, 0));
    driver.close(0);
    driver.stop(new SimulatedAttempt(0, 0, 0, 1));
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertTrue(driver.close(1).getClosed(), "task 2 is open");
    assertFalse(driver.close(2).getClosed());
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertFalse(driver.close(2).getClosed(), "the last one stays the last one");
  }

  @Test
  @Timeout(5)
  void shouldRefuseTheLastOfVeryManyTasksAtOnce() throws VdfsException {
    int tasks = TestStream.MOST_TASKS;
    StreamDriver driver = StreamDriver.created(new TestStream(1, tasks, 1, 2).file(60, 0));
    for (int task = 0; task < tasks - 1; task++) {
      assertTrue(driver.close(task).getClosed());
    }
    for (int call = 0; call < 10_000; call++) {
      assertFalse(driver.close(tasks - 1).getClosed());
    }
  }

  private static StreamDriver twoTasks() throws VdfsException {
    return StreamDriver.created(new TestStream(1, 2, 1, 2).file(60, 0));
  }
}

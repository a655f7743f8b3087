package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamTotals;
import io.vdfs.common.wire.proto.TaskReport;
import io.vdfs.common.wire.proto.TaskSlice;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StreamAuditTest {
  private final List<TaskReport> reports = new ArrayList<>();
  private StreamDriver driver;

  /** Task 0 owns three blocks, task 1 the other three. */
  @BeforeEach
  void runJob() throws VdfsException {
    driver = StreamDriver.created(new TestStream(1, 2, 2, 2).file(45, 0, 1).file(10, 1).file(0));
    for (int position = 0; position < 3; position++) {
      driver.run(0, position, 0, 1);
    }
    report(driver.drain(1, 1, 1));
    report(driver.drain(0, 0, 1));
  }

  @Test
  void shouldPassExactJob() throws VdfsException {
    AuditStreamResult result = audit();
    assertEquals(3, result.getFiles());
    assertEquals(6, result.getTotals().getBlocks());
    assertEquals(55, result.getTotals().getBytes());
    assertEquals(2, result.getTasks());
    assertEquals(6, result.getRuns());
    long digests = 0;
    for (TaskReport report : reports) {
      digests += report.getProcessed().getDigest();
    }
    assertEquals(digests, result.getTotals().getDigest(), "digests of tasks add up");
  }

  @Test
  void shouldNameTaskWithOtherTotals() {
    StreamTotals processed = reports.get(0).getProcessed();
    change(0, processed.toBuilder().setBlocks(2).build());
    assertFails(ErrorCode.CORRUPT, "task 1 processed [blocks=2,", this::audit);
    change(0, processed.toBuilder().setBytes(1).build());
    assertFails(ErrorCode.CORRUPT, "bytes=1,", this::audit);
    change(0, processed.toBuilder().setDigest(0xabcL).build());
    assertFails(ErrorCode.CORRUPT, "digest=abc]", this::audit);
  }

  @Test
  void shouldNameMissingRepeatedAndUnknownReports() {
    TaskReport first = reports.get(0);
    reports.remove(0);
    assertFails(ErrorCode.CORRUPT, "no report of a task: task=1", this::audit);
    reports.add(first);
    reports.add(first);
    assertFails(ErrorCode.CORRUPT, "two reports of one task: task=1", this::audit);
    reports.set(2, first.toBuilder().setTask(7).build());
    assertFails(ErrorCode.CORRUPT, "unknown task: task=7", this::audit);
  }

  @Test
  void shouldNameBlocksThatNoTaskOwns() throws VdfsException {
    driver = StreamDriver.created(new TestStream(2, 1, 1, 2).file(45, 0));
    driver.run(0, 0, 0, 1);
    reports.clear();
    assertFails(ErrorCode.CORRUPT, "file=/in/part-0 (100.1), block=1, missing=4", this::audit);
  }

  @Test
  void shouldNameBlockOwnedTwiceAndBlockOutsideOfInput() {
    own(List.of(0, 4, 1, 0, 1));
    assertFails(ErrorCode.CORRUPT, "block owned twice: file=/in/part-0", this::audit);
    own(List.of(2, 5, 1, 0, 1));
    assertFails(ErrorCode.CORRUPT, "outside of the input: file=/in/part-2", this::audit);
  }

  @Test
  void shouldNeedNoMemoryForWhatLiesBetweenTheBlocks() throws VdfsException {
    TestStream sparse = new TestStream(5, 1, 1, 2);
    for (int file = 0; file < 64; file++) {
      StreamFile.Builder ends =
          sparse
              .newFile((long) Integer.MAX_VALUE * TestStream.BLOCK_SIZE)
              .addRanges(TestStream.range(0, 1))
              .addRanges(TestStream.range(Integer.MAX_VALUE - 1L, 1));
      sparse.add(ends.addGroupNodes(0).addGroupNodes(0).build(), 2, 2L * TestStream.BLOCK_SIZE);
    }
    driver = StreamDriver.created(sparse);
    reports.clear();
    report(driver.drain(0, 0, 1));
    assertEquals(128, audit().getTotals().getBlocks());
  }

  @Test
  void shouldReportMapperThatStoppedWithoutSayingSo() throws VdfsException {
    driver = StreamDriver.created(new TestStream(3, 2, 1, 1).file(50, 0));
    SimulatedAttempt stopped = new SimulatedAttempt(0, 0, 0, 1);
    stopped.got.add(driver.run(0, 0, 0, 1));
    driver.run(0, 1, 0, 1);
    driver.close(0);
    SimulatedAttempt other = driver.drain(1, 0, 1);
    reports.clear();
    report(stopped);
    report(other);
    assertFails(ErrorCode.CORRUPT, "task 0 processed [blocks=1", this::audit);
  }

  @Test
  void shouldAuditByMarksOfFinishedTasks() throws VdfsException {
    assertFails(ErrorCode.CORRUPT, "never finished its list: task=0", this::auditByMarks);
    finish(0);
    finish(1);
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    assertEquals(6, auditByMarks().getTotals().getBlocks());
  }

  @Test
  void shouldPassWhenAMapperStoppedAndTheOthersDrewTheRest() throws VdfsException {
    driver = twoTasks();
    SimulatedAttempt stopped = stopAfterOneOfTwoRuns(0);
    finish(1);
    AuditStreamResult result = auditByMarks();
    assertEquals(1, result.getStoppedTasks());
    assertEquals(0, result.getUndrawnBlocks());
    reports.clear();
    report(stopped);
    report(driver.drain(1, 0, 1));
    assertEquals(1, audit().getStoppedTasks());
    change(0, stopped.processed().toBuilder().setDigest(1).build());
    assertFails(ErrorCode.CORRUPT, "task 0 processed [blocks=1", this::audit);
  }

  @Test
  void shouldPassWithBlocksLeftWhenAllMappersStopped() throws VdfsException {
    driver = twoTasks();
    stopAfterOneOfTwoRuns(0);
    assertFails(ErrorCode.CORRUPT, "never finished its list: task=1", this::auditByMarks);
    stopAfterOneOfTwoRuns(1);
    driver.host.takeSnapshot();
    driver.host.changeLeader();
    AuditStreamResult result = auditByMarks();
    assertEquals(2, result.getStoppedTasks());
    assertEquals(1, result.getUndrawnBlocks());
  }

  @Test
  void shouldRefuseBlocksLeftByATaskThatReliedOnAMapperThatStopped() throws VdfsException {
    driver = twoTasks();
    driver.run(1, 0, 0, 1);
    assertTrue(driver.close(1).getClosed(), "task 0 is there to go on");
    finish(1);
    stopAfterOneOfTwoRuns(0);
    assertFails(ErrorCode.CORRUPT, "blocks owned by no task", this::auditByMarks);
    assertFails(ErrorCode.CORRUPT, "stopped tasks=1", this::auditByMarks);
  }

  @Test
  void shouldRefuseBlocksLeftWhenAnAttemptCameToTheEndOfAStoppedList() throws VdfsException {
    driver = twoTasks();
    stopAfterOneOfTwoRuns(0);
    stopAfterOneOfTwoRuns(1);
    finish(1);
    assertFails(ErrorCode.CORRUPT, "blocks owned by no task", this::auditByMarks);
  }

  @Test
  void shouldRefuseBlocksThatAreNowhereThoughAllMappersStopped() throws VdfsException {
    driver = twoTasks();
    stopAfterOneOfTwoRuns(0);
    stopAfterOneOfTwoRuns(1);
    List<LedgerRecord> bent = new ArrayList<>(LedgerHost.records(driver.host.ledger()));
    assertTrue(bent.removeIf(LedgerRecord::hasPoolSlice));
    driver.host.become(bent);
    assertFails(ErrorCode.CORRUPT, "blocks owned by no task", this::auditByMarks);
  }

  private static StreamDriver twoTasks() throws VdfsException {
    return StreamDriver.created(new TestStream(4, 2, 1, 1).file(50, 0));
  }

  private SimulatedAttempt stopAfterOneOfTwoRuns(int task) throws VdfsException {
    SimulatedAttempt attempt = new SimulatedAttempt(task, 0, 0, 1);
    attempt.got.add(driver.run(task, 0, 0, 1));
    driver.run(task, 1, 0, 1);
    driver.stop(attempt);
    return attempt;
  }

  /** With an attempt that draws until END and says so. */
  private void finish(int task) throws VdfsException {
    SimulatedAttempt attempt = driver.drain(task, 0, 1);
    NextRunOp.Builder last =
        Requests.next(driver.stream.id(), task, attempt.got.size(), 0, 1)
            .setProcessed(attempt.processed());
    assertTrue(driver.next(last).hasEnd());
  }

  @Test
  void shouldKeepMessageShort() {
    reports.clear();
    for (int task = 10; task < 500; task++) {
      reports.add(TaskReport.newBuilder().setTask(task).build());
    }
    VdfsException e = assertFails(ErrorCode.CORRUPT, "findings=492", this::audit);
    assertTrue(e.getMessage().length() < 1000, e.getMessage());
  }

  @Test
  @Timeout(5)
  void shouldGoOverTheListOfAStoppedTaskForItsFirstReportOnly() throws VdfsException {
    driver = StreamDriver.created(new TestStream(6, 1, 1, 1).file(20_000, 0));
    assertEquals(2_000, driver.drain(0, 0, 1).got.size());
    driver.stop(new SimulatedAttempt(0, 0, 0, 1));
    TaskReport wrong =
        TaskReport.newBuilder().setProcessed(StreamTotals.newBuilder().setDigest(1)).build();
    reports.clear();
    reports.addAll(Collections.nCopies(300_000, wrong));
    assertFails(ErrorCode.CORRUPT, "two reports of one task: task=0", this::audit);
    assertFails(ErrorCode.CORRUPT, "findings=300000", this::audit);
  }

  @Test
  @Timeout(10)
  void shouldPutOnlyWhatItShowsIntoWords() throws VdfsException {
    int ranges = 300_000;
    TestStream gaps = new TestStream(7, 1, 1, 1);
    StreamFile.Builder file =
        gaps.newFile(2L * ranges * TestStream.BLOCK_SIZE).setPath("/" + "x".repeat(7_999));
    for (int range = 0; range < ranges; range++) {
      file.addRanges(TestStream.range(2L * range, 1)).addGroupNodes(0);
    }
    driver =
        StreamDriver.created(gaps.add(file.build(), ranges, (long) ranges * TestStream.BLOCK_SIZE));
    reports.clear();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertFails(ErrorCode.CORRUPT, "findings=300001", this::audit);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertTrue(bytes < 200L << 20, () -> "allocated bytes=" + bytes);
  }

  private AuditStreamResult audit() throws VdfsException {
    return driver
        .host
        .query(Requests.audit(driver.stream.id(), reports), LedgerHost.USER)
        .getAudit();
  }

  private AuditStreamResult auditByMarks() throws VdfsException {
    return driver.host.query(Requests.auditByMarks(driver.stream.id()), LedgerHost.USER).getAudit();
  }

  /** Adds a run to the list of task 0 that no draw would ever have given it. */
  private void own(List<Integer> cells) {
    List<LedgerRecord> bent = new ArrayList<>(LedgerHost.records(driver.host.ledger()));
    bent.add(
        LedgerRecord.newBuilder()
            .setStreamId(driver.stream.id())
            .setTaskSlice(TaskSlice.newBuilder().setTask(0).addAllCells(cells))
            .build());
    driver.host.become(bent);
  }

  private void report(SimulatedAttempt attempt) {
    reports.add(
        TaskReport.newBuilder().setTask(attempt.task).setProcessed(attempt.processed()).build());
  }

  private void change(int index, StreamTotals processed) {
    reports.set(index, reports.get(index).toBuilder().setProcessed(processed).build());
  }
}

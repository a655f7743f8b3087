package io.vdfs.datanode.ledger;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.TaskReport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What must hold when a job has ended: its winning attempts processed each block of the input once;
 * all attempts of a task that came to an end processed the same runs in the same order; the audit
 * agrees; log and snapshot give the state again.
 */
final class JobVerdict {
  private final LedgerHost host;
  private final TestStream stream;
  private final List<SimulatedAttempt> winners;
  private final List<List<SimulatedAttempt>> completed;
  private final boolean reported;

  JobVerdict(
      LedgerHost host,
      TestStream stream,
      List<SimulatedAttempt> winners,
      List<List<SimulatedAttempt>> completed,
      boolean reported) {
    this.host = host;
    this.stream = stream;
    this.winners = winners;
    this.completed = completed;
    this.reported = reported;
  }

  void check() throws VdfsException {
    checkAttemptsOfTaskEqual();
    checkEveryBlockOnce();
    if (host.ledger().streamCount() > 0) {
      checkAudit();
      checkReplay();
    }
  }

  private void checkAttemptsOfTaskEqual() {
    for (List<SimulatedAttempt> ofTask : completed) {
      for (SimulatedAttempt attempt : ofTask) {
        Violation.unless(
            attempt.got.equals(ofTask.get(0).got),
            "attempts of one task differ: " + ofTask.get(0) + " and " + attempt);
      }
    }
  }

  private void checkEveryBlockOnce() {
    Map<String, StreamFile> input = new HashMap<>();
    Set<String> missing = new HashSet<>();
    for (StreamFile file : stream.files()) {
      input.put(file.getPath(), file);
      for (BlockRangeProto range : file.getRangesList()) {
        for (long i = 0; i < range.getCount(); i++) {
          missing.add(file.getPath() + "#" + (range.getFirst() + i));
        }
      }
    }
    for (SimulatedAttempt winner : winners) {
      for (StreamRun run : winner.got) {
        checkBytes(input.get(run.getPath()), run);
        for (long i = 0; i < run.getBlockCount(); i++) {
          String block = run.getPath() + "#" + (run.getFirstBlock() + i);
          Violation.unless(missing.remove(block), "processed twice or not asked for: " + block);
        }
      }
    }
    Violation.unless(missing.isEmpty(), "not processed: " + missing);
  }

  private static void checkBytes(StreamFile file, StreamRun run) {
    long offset = run.getFirstBlock() * TestStream.BLOCK_SIZE;
    long end = offset + (long) run.getBlockCount() * TestStream.BLOCK_SIZE;
    Violation.unless(
        run.getOffset() == offset
            && run.getBytes() == Math.min(end, file.getLength()) - offset
            && run.getFileLength() == file.getLength()
            && run.getFile().equals(file.getFile()),
        "run with wrong bytes: " + run);
  }

  private void checkAudit() throws VdfsException {
    List<TaskReport> reports = new ArrayList<>();
    for (SimulatedAttempt winner : winners) {
      reports.add(
          TaskReport.newBuilder().setTask(winner.task).setProcessed(winner.processed()).build());
    }
    AuditStreamResult result =
        host.query(Requests.audit(stream.id(), reports), LedgerHost.USER).getAudit();
    Violation.unless(
        result.getTotals().getBlocks() == stream.blocks(), "audit counts other blocks: " + result);
    if (reported) {
      host.query(Requests.auditByMarks(stream.id()), LedgerHost.USER);
    }
  }

  private void checkReplay() {
    byte[] state = LedgerHost.canonical(host.ledger());
    Violation.unless(
        Arrays.equals(state, LedgerHost.canonical(host.rebuilt())),
        "replay of the log gives another state");
    List<LedgerRecord> snapshot = LedgerHost.records(host.ledger());
    Ledger restored = new Ledger();
    snapshot.forEach(restored::replay);
    Violation.unless(
        Arrays.equals(state, LedgerHost.canonical(restored)), "the snapshot gives another state");
  }
}

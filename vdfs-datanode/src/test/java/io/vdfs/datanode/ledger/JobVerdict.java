package io.vdfs.datanode.ledger;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.common.wire.proto.TaskReport;
import io.vdfs.common.wire.proto.TaskSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules that must hold when a job has ended: its winning attempts processed each block of the
 * input once, except those that only mappers that stopped would have read; all attempts of a task
 * that came to an end processed the same runs in the same order; the audit agrees; log and snapshot
 * give the state again.
 */
final class JobVerdict {
  private final LedgerHost host;
  private final TestStream stream;
  private final List<SimulatedAttempt> winners;
  private final List<List<SimulatedAttempt>> completed;
  private final boolean reported;
  private final EnumMap<Fault, Long> faults;

  JobVerdict(
      LedgerHost host,
      TestStream stream,
      List<SimulatedAttempt> winners,
      List<List<SimulatedAttempt>> completed,
      boolean reported,
      EnumMap<Fault, Long> faults) {
    this.host = host;
    this.stream = stream;
    this.winners = winners;
    this.completed = completed;
    this.reported = reported;
    this.faults = faults;
  }

  void check() throws VdfsException {
    checkAttemptsOfTaskEqual();
    Set<String> missing = checkNoBlockTwice();
    if (host.ledger().streamCount() > 0) {
      checkAudit(undrawnOf(missing));
      checkReplay();
    } else {
      Violation.unless(missing.isEmpty() || anyStopped(), "not processed: " + missing);
    }
  }

  private void checkAttemptsOfTaskEqual() {
    for (List<SimulatedAttempt> ofTask : completed) {
      for (SimulatedAttempt attempt : ofTask) {
        Violation.unless(
            agree(ofTask.get(0), attempt),
            "attempts of one task differ: " + ofTask.get(0) + " and " + attempt);
      }
    }
  }

  /** One that stopped has a beginning of what the other has. */
  private static boolean agree(SimulatedAttempt one, SimulatedAttempt other) {
    int common = Math.min(one.got.size(), other.got.size());
    return one.got.subList(0, common).equals(other.got.subList(0, common))
        && (one.stopped || other.got.size() == common)
        && (other.stopped || one.got.size() == common);
  }

  /** Returns the blocks that no winner processed. */
  private Set<String> checkNoBlockTwice() {
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
    return missing;
  }

  /**
   * Of the blocks that no winner processed, those that no task owns: the others are in the lists of
   * tasks whose winners stopped.
   */
  private long undrawnOf(Set<String> missing) {
    long undrawn = 0;
    Set<Integer> stopped = new HashSet<>();
    winners.stream().filter(winner -> winner.stopped).forEach(winner -> stopped.add(winner.task));
    for (LedgerRecord record : LedgerHost.records(host.ledger())) {
      List<Integer> pool = record.getPoolSlice().getCellsList();
      for (int at = 0; at < pool.size(); at += 3) {
        undrawn += remove(missing, pool.subList(at, at + 3));
      }
      TaskSlice list = record.getTaskSlice();
      for (int at = 0; at < list.getCellsCount(); at += 5) {
        if (stopped.contains(list.getTask())) {
          remove(missing, list.getCellsList().subList(at, at + 3));
        }
      }
    }
    Violation.unless(missing.isEmpty(), "not processed: " + missing);
    Violation.unless(undrawn == 0 || anyStopped(), "left though no mapper stopped: " + undrawn);
    return undrawn;
  }

  private long remove(Set<String> missing, List<Integer> run) {
    String path = stream.files().get(run.get(0)).getPath();
    long removed = 0;
    for (int block = run.get(1); block < run.get(1) + run.get(2); block++) {
      removed += missing.remove(path + "#" + block) ? 1 : 0;
    }
    return removed;
  }

  private boolean anyStopped() {
    return completed.stream().flatMap(List::stream).anyMatch(attempt -> attempt.stopped);
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

  /** Blocks that no attempt drew may be left if all winners stopped; none left is always right. */
  private void checkAudit(long undrawn) throws VdfsException {
    if (undrawn > 0) {
      checkAuditOfBlocksLeft(undrawn);
      return;
    }
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

  private void checkAuditOfBlocksLeft(long undrawn) throws VdfsException {
    if (!reported) {
      return;
    }
    boolean allStopped = winners.stream().allMatch(winner -> winner.stopped);
    AuditStreamResult result;
    try {
      result = host.query(Requests.auditByMarks(stream.id()), LedgerHost.USER).getAudit();
    } catch (VdfsException e) {
      // also where a loser came to the end of its list, as the ledger does not know which attempt
      // won
      boolean anyFinished =
          host
              .query(Requests.status(stream.id()), LedgerHost.USER)
              .getStatus()
              .getTasksList()
              .stream()
              .anyMatch(StreamTaskStatus::getFinished);
      Violation.unless(!allStopped || anyFinished, "the audit refuses what mappers left: " + e);
      return;
    }
    Violation.unless(allStopped, "the audit accepts what no mapper left: " + undrawn);
    Violation.unless(result.getUndrawnBlocks() == undrawn, "audit counts other blocks: " + result);
    faults.merge(Fault.UNDRAWN_BLOCKS, 1L, Long::sum);
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

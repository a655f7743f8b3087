package io.vdfs.datanode.ledger.query;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.TaskReport;
import io.vdfs.datanode.ledger.state.BlockRange;
import io.vdfs.datanode.ledger.state.OwnedRun;
import io.vdfs.datanode.ledger.state.RangeDeque;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.TaskList;
import io.vdfs.datanode.ledger.state.Totals;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * The check at job commit: the lists partition the input, block by block, and each task's winning
 * attempt processed its list, or a beginning of it if its mapper stopped. Blocks may be left in the
 * pools only if the mappers of all tasks stopped: a task that ended otherwise would have taken
 * them, had it not relied on the others. Does not trust the bookkeeping of the draws: it goes over
 * all lists again with one bit per block to hand out. Used for one audit.
 */
public final class StreamAudit {
  private static final int FINDINGS_SHOWN = 8;

  private final StreamState stream;
  private final BlockMarks[] owned;
  private final List<String> findings = new ArrayList<>();
  private int findingCount;
  private long runs;
  private long stolenBlocks;
  private int stoppedTasks;
  private long undrawnBlocks;

  /** An audit of a sealed stream; for one question. */
  public StreamAudit(StreamState stream) {
    this.stream = stream;
    this.owned = new BlockMarks[stream.files().size()];
  }

  /**
   * Compares what tasks own, and what their attempts reported, with what is to be handed out.
   *
   * @throws VdfsException CORRUPT if anything differs; the message names what
   */
  public AuditStreamResult run(AuditStreamQuery query) throws VdfsException {
    walkLists();
    if (allStopped()) {
      walkPools();
    } else if (stoppedTasks > 0 && stream.remaining() > 0) {
      find(
          () ->
              ("mappers stopped early while other tasks had left blocks to theirs, which static"
                      + " splits rule out: stopped tasks=%s, blocks left=%s")
                  .formatted(stoppedTasks, stream.remaining()));
    }
    findMissing();
    if (query.getByFinishedMarks()) {
      checkMarks();
    } else {
      checkReports(query.getReportsList());
    }
    if (findingCount > 0) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "the job did not process each block of its input exactly once: %s, findings=%s: %s"
              .formatted(stream, findingCount, String.join("; ", findings)));
    }
    return AuditStreamResult.newBuilder()
        .setFiles(stream.files().size())
        .setTotals(stream.totals().toMessage())
        .setTasks(stream.taskCount())
        .setRuns(runs)
        .setStolenBlocks(stolenBlocks)
        .setStoppedTasks(stoppedTasks)
        .setUndrawnBlocks(undrawnBlocks)
        .build();
  }

  private void walkLists() {
    for (int task = 0; task < stream.taskCount(); task++) {
      walkList(task);
    }
  }

  private void walkList(int task) {
    TaskList list = stream.task(task);
    Totals sum = Totals.NONE;
    for (int position = 0; position < list.size(); position++) {
      OwnedRun run = list.run(position);
      runs++;
      stolenBlocks += run.stolen() ? run.range().count() : 0;
      sum = sum.plus(stream.files().totals(run.range()));
      mark(run.range(), () -> "task " + task);
    }
    stoppedTasks += list.stopped() ? 1 : 0;
    if (!sum.equals(list.totals())) {
      Totals owned = sum;
      find(() -> "task " + task + " owns [" + owned + "] but counted [" + list.totals() + "]");
    }
  }

  /** Whether no task's reading came to its end. */
  private boolean allStopped() {
    for (int task = 0; task < stream.taskCount(); task++) {
      if (!stream.task(task).stopped() || stream.task(task).finished()) {
        return false;
      }
    }
    return true;
  }

  private void walkPools() {
    for (int node = 0; node < stream.nodes(); node++) {
      walkPool(node);
    }
  }

  private void walkPool(int node) {
    RangeDeque pool = stream.pool(node);
    for (int index = 0; index < pool.ranges(); index++) {
      undrawnBlocks += pool.range(index).count();
      mark(pool.range(index), () -> "pool of node " + node);
    }
  }

  private void mark(BlockRange range, Supplier<String> owner) {
    BlockMarks blocks = owned(range.file());
    int twice = blocks.firstMarked(range.first(), range.end());
    if (twice >= 0) {
      find(() -> "block owned twice: " + block(range.file(), twice) + ", second=" + owner.get());
    }
    int outside = blocks.firstOutside(range.first(), range.end());
    if (outside >= 0) {
      find(
          () ->
              "block outside of the input: %s, owner=%s"
                  .formatted(block(range.file(), outside), owner.get()));
    }
    blocks.mark(range.first(), range.end());
  }

  private void findMissing() {
    for (int file = 0; file < owned.length; file++) {
      int ranges = stream.files().file(file).ranges();
      for (int range = 0; range < ranges; range++) {
        findMissing(file, range);
      }
    }
  }

  private void findMissing(int file, int range) {
    BlockMarks blocks = owned(file);
    int missing = blocks.firstUnmarked(range);
    if (missing >= 0) {
      find(
          () ->
              "blocks owned by no task: %s, missing=%s"
                  .formatted(block(file, missing), blocks.unmarked(range)));
    }
  }

  private void checkMarks() {
    for (int task = 0; task < stream.taskCount(); task++) {
      TaskList list = stream.task(task);
      if (!list.finished() && !list.stopped()) {
        find("task never finished its list", task);
      }
    }
  }

  private void checkReports(List<TaskReport> reports) {
    BitSet reported = new BitSet();
    for (TaskReport report : reports) {
      int task = report.getTask();
      if (task < 0 || task >= stream.taskCount()) {
        find(() -> "report of an unknown task: task=" + Integer.toUnsignedString(task));
      } else if (reported.get(task)) {
        // one report may cost a walk over the list, but not each of very many
        find(() -> "two reports of one task: task=" + task);
      } else {
        reported.set(task);
        check(task, Totals.of(report.getProcessed()));
      }
    }
    for (int task = reported.nextClearBit(0);
        task < stream.taskCount();
        task = reported.nextClearBit(task + 1)) {
      find("no report of a task", task);
    }
  }

  private void check(int task, Totals processed) {
    TaskList list = stream.task(task);
    if (!processed.equals(list.totals()) && !(list.stopped() && isBeginning(processed, list))) {
      find(
          () ->
              "task %s processed [%s] of its list [%s]".formatted(task, processed, list.totals()));
    }
  }

  private boolean isBeginning(Totals processed, TaskList list) {
    Totals sum = Totals.NONE;
    for (int position = 0; position < list.size(); position++) {
      if (sum.equals(processed)) {
        return true;
      }
      sum = sum.plus(stream.files().totals(list.run(position).range()));
    }
    return false;
  }

  private BlockMarks owned(int file) {
    if (owned[file] == null) {
      owned[file] = new BlockMarks(stream.files().file(file));
    }
    return owned[file];
  }

  private String block(int file, int block) {
    return "file=" + stream.files().file(file) + ", block=" + block;
  }

  private void find(String problem, int task) {
    find(() -> problem + ": task=" + task + ", runs=" + stream.task(task).size());
  }

  /** Counts a finding; puts only the first ones into words, as there may be millions. */
  private void find(Supplier<String> finding) {
    findingCount++;
    if (findings.size() < FINDINGS_SHOWN) {
      findings.add(finding.get());
    }
  }
}

package io.vdfs.datanode.ledger;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.TaskReport;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The check at job commit: the lists partition the input, block by block, and each task's winning
 * attempt processed its list. Does not trust the bookkeeping of the draws: it goes over all lists
 * again with one bit per block. Used for one audit.
 */
final class StreamAudit {
  private static final int FINDINGS_SHOWN = 8;

  private final StreamState stream;
  private final BitSet[] owned;
  private final List<String> findings = new ArrayList<>();
  private int findingCount;
  private long runs;
  private long stolenBlocks;

  StreamAudit(StreamState stream) {
    this.stream = stream;
    this.owned = new BitSet[stream.files().size()];
  }

  /**
   * @throws VdfsException CORRUPT if anything differs; the message names what
   */
  AuditStreamResult run(AuditStreamQuery query) throws VdfsException {
    walkLists();
    findMissing();
    if (query.getByFinishedMarks()) {
      checkMarks();
    } else {
      checkReports(query.getReportsList());
    }
    if (findingCount > 0) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "the job did not process each block of its input exactly once: "
              + stream
              + ", findings="
              + findingCount
              + ": "
              + String.join("; ", findings));
    }
    return AuditStreamResult.newBuilder()
        .setFiles(stream.files().size())
        .setTotals(stream.totals().toMessage())
        .setTasks(stream.taskCount())
        .setRuns(runs)
        .setStolenBlocks(stolenBlocks)
        .build();
  }

  private void walkLists() {
    for (int task = 0; task < stream.taskCount(); task++) {
      TaskList list = stream.task(task);
      Totals sum = Totals.NONE;
      for (int position = 0; position < list.size(); position++) {
        OwnedRun run = list.run(position);
        runs++;
        stolenBlocks += run.stolen() ? run.range().count() : 0;
        sum = sum.plus(stream.files().totals(run.range()));
        mark(task, run.range());
      }
      if (!sum.equals(list.totals())) {
        find("task " + task + " owns [" + sum + "] but counted [" + list.totals() + "]");
      }
    }
  }

  private void mark(int task, BlockRange range) {
    BitSet blocks = owned(range.file());
    int twice = blocks.nextSetBit(range.first());
    if (twice >= 0 && twice < range.end()) {
      find("block owned twice: " + block(range.file(), twice) + ", second=task " + task);
    }
    blocks.set(range.first(), range.end());
  }

  private void findMissing() {
    for (int index = 0; index < owned.length; index++) {
      PinnedFile file = stream.files().file(index);
      BitSet blocks = owned(index);
      for (int i = 0; i < file.ranges(); i++) {
        int first = file.rangeFirst(i);
        int end = first + file.rangeCount(i);
        int missing = blocks.nextClearBit(first);
        if (missing < end) {
          int count = end - first - blocks.get(first, end).cardinality();
          find("blocks owned by no task: " + block(index, missing) + ", missing=" + count);
        }
        blocks.clear(first, end);
      }
      if (!blocks.isEmpty()) {
        find("block outside of the input: " + block(index, blocks.nextSetBit(0)));
      }
    }
  }

  private void checkMarks() {
    for (int task = 0; task < stream.taskCount(); task++) {
      if (!stream.task(task).finished()) {
        find("task never finished its list: task=" + task + ", runs=" + stream.task(task).size());
      }
    }
  }

  private void checkReports(List<TaskReport> reports) {
    BitSet reported = new BitSet();
    for (TaskReport report : reports) {
      int task = report.getTask();
      if (task < 0 || task >= stream.taskCount()) {
        find("report of an unknown task: task=" + Integer.toUnsignedString(task));
        continue;
      }
      if (reported.get(task)) {
        find("two reports of one task: task=" + task);
      }
      reported.set(task);
      Totals processed = Totals.of(report.getProcessed());
      Totals list = stream.task(task).totals();
      if (!processed.equals(list)) {
        find("task " + task + " processed [" + processed + "] of its list [" + list + "]");
      }
    }
    for (int task = reported.nextClearBit(0);
        task < stream.taskCount();
        task = reported.nextClearBit(task + 1)) {
      find("no report of a task: task=" + task + ", runs=" + stream.task(task).size());
    }
  }

  private BitSet owned(int file) {
    if (owned[file] == null) {
      owned[file] = new BitSet();
    }
    return owned[file];
  }

  private String block(int file, int block) {
    return "file=" + stream.files().file(file) + ", block=" + block;
  }

  private void find(String finding) {
    findingCount++;
    if (findings.size() < FINDINGS_SHOWN) {
      findings.add(finding);
    }
  }
}

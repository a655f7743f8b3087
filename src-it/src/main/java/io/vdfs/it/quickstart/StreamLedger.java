package io.vdfs.it.quickstart;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.NodeDraws;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.model.StreamId;
import io.vdfs.it.quickstart.StreamReport.NodeShare;
import io.vdfs.it.quickstart.StreamReport.TaskList;
import io.vdfs.it.quickstart.StreamReport.TaskShare;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;

/** Asks the ledger of a job how its blocks are shared out. Thread-safe. */
final class StreamLedger {
  private final VdfsFileSystem fileSystem;

  StreamLedger(FileSystem fileSystem) {
    this.fileSystem = (VdfsFileSystem) fileSystem;
  }

  /**
   * @param streamId in hexadecimal, as in the job's configuration
   */
  StreamReport report(String streamId) throws IOException {
    StreamStatus status = fileSystem.vdfsClient().ledger().status(StreamId.parse(streamId));
    NodeLabels labels = new NodeLabels(fileSystem.vdfsClient().cluster().ring());
    List<NodeShare> nodes = new ArrayList<>();
    for (NodeDraws node : status.nodes()) {
      String label = labels.of(node.node());
      nodes.add(new NodeShare(label, node.localBlocks(), node.lostBlocks()));
    }
    return new StreamReport(
        status.totals().blocks(),
        status.remainingBlocks(),
        nodes,
        status.tasks().stream().map(StreamLedger::share).toList());
  }

  private static TaskShare share(TaskDraws task) {
    return new TaskShare(task.totals().blocks(), task.runs(), task.stolenBlocks());
  }

  /**
   * The blocks that the tasks of a finished job have drawn, by task number: their lists are final,
   * so asking for them again changes nothing.
   */
  List<TaskList> lists(String streamId, int tasks) throws IOException {
    NodeLabels labels = new NodeLabels(fileSystem.vdfsClient().cluster().ring());
    List<TaskList> lists = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      Map<String, Long> bySource = new TreeMap<>();
      long longest = 0;
      for (DrawnRun run : runs(new StreamTask(StreamId.parse(streamId), task))) {
        bySource.merge(labels.of(run.owner()), (long) run.blockCount(), Long::sum);
        longest = Math.max(longest, run.blockCount());
      }
      lists.add(new TaskList(bySource, longest));
    }
    return lists;
  }

  private List<DrawnRun> runs(StreamTask task) throws IOException {
    List<DrawnRun> runs = new ArrayList<>();
    RunAnswer next = next(task, 0);
    while (!next.isEnd()) {
      runs.addAll(next.runs());
      next = next(task, runs.size());
    }
    return runs;
  }

  private RunAnswer next(StreamTask task, int position) throws IOException {
    return fileSystem.vdfsClient().ledger().next(RunQuestion.oneBlock(task, position));
  }
}

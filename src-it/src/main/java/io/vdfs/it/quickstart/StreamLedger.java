package io.vdfs.it.quickstart;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
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
    ByteString id = id(streamId);
    StreamStatusResult status =
        fileSystem
            .vdfsClient()
            .ledger()
            .status(StreamStatusQuery.newBuilder().setStreamId(id).build());
    NodeLabels labels = new NodeLabels(fileSystem.vdfsClient().cluster().ring());
    List<NodeShare> nodes = new ArrayList<>();
    for (StreamNodeStatus node : status.getNodesList()) {
      String label = labels.of(WireIds.nodeId(node.getNode()));
      nodes.add(new NodeShare(label, node.getLocalBlocks(), node.getLostBlocks()));
    }
    return new StreamReport(
        status.getTotals().getBlocks(),
        status.getRemainingBlocks(),
        nodes,
        status.getTasksList().stream().map(StreamLedger::share).toList());
  }

  private static TaskShare share(StreamTaskStatus task) {
    return new TaskShare(task.getTotals().getBlocks(), task.getRuns(), task.getStolenBlocks());
  }

  /**
   * What the tasks of a job that is over have drawn, by number: their lists are final, so asking
   * for them again changes nothing.
   */
  List<TaskList> lists(String streamId, int tasks) throws IOException {
    NodeLabels labels = new NodeLabels(fileSystem.vdfsClient().cluster().ring());
    List<TaskList> lists = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      Map<String, Long> bySource = new TreeMap<>();
      long longest = 0;
      for (StreamRun run : runs(id(streamId), task)) {
        bySource.merge(
            labels.of(WireIds.nodeId(run.getOwner())), (long) run.getBlockCount(), Long::sum);
        longest = Math.max(longest, run.getBlockCount());
      }
      lists.add(new TaskList(bySource, longest));
    }
    return lists;
  }

  private List<StreamRun> runs(ByteString stream, int task) throws IOException {
    List<StreamRun> runs = new ArrayList<>();
    NextRunResult next = next(stream, task, 0);
    while (next.hasRun()) {
      runs.add(next.getRun());
      runs.addAll(next.getFollowingList());
      next = next(stream, task, runs.size());
    }
    return runs;
  }

  private NextRunResult next(ByteString stream, int task, int position) throws IOException {
    return fileSystem
        .vdfsClient()
        .ledger()
        .next(
            NextRunOp.newBuilder()
                .setStreamId(stream)
                .setTask(task)
                .setPosition(position)
                .setWantedBlocks(1)
                .build());
  }

  private static ByteString id(String streamId) {
    return ByteString.copyFrom(BaseEncoding.base16().lowerCase().decode(streamId));
  }
}

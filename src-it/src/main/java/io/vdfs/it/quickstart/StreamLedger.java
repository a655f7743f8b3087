package io.vdfs.it.quickstart;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.it.quickstart.StreamReport.NodeShare;
import io.vdfs.it.quickstart.StreamReport.TaskShare;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
    ByteString id = ByteString.copyFrom(BaseEncoding.base16().lowerCase().decode(streamId));
    StreamStatusResult status =
        fileSystem
            .vdfsClient()
            .ledger()
            .status(StreamStatusQuery.newBuilder().setStreamId(id).build());
    RingMap ring = fileSystem.vdfsClient().cluster().ring();
    List<NodeShare> nodes = new ArrayList<>();
    for (StreamNodeStatus node : status.getNodesList()) {
      String label = label(WireIds.nodeId(node.getNode()), ring);
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

  /** The host; with the port where several nodes share one. */
  private static String label(NodeId id, RingMap ring) {
    RingNode node = ring.node(id).orElse(null);
    if (node == null) {
      return id.toString();
    }
    List<String> hosts = ring.nodes().values().stream().map(RingNode::host).toList();
    boolean alone = hosts.indexOf(node.host()) == hosts.lastIndexOf(node.host());
    return alone ? node.host() : node.host() + ":" + node.controlPort();
  }
}

package io.vdfs.client.io;

import com.google.protobuf.ByteString;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.ReplicaCalls;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.DoubtBlock;
import io.vdfs.common.wire.proto.ReplicaRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reports to a node a block that it sent damaged, so that it checks what it holds. The answer is
 * not waited for, and few reports are under way at a time: a node also finds out by itself, if
 * later. Thread-safe; never blocks.
 */
public final class DamageTold {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int UNDER_WAY = 16;

  private final ClusterGeometry geometry;
  private final ByteString clusterId;
  private final ReplicaCalls calls;
  private final Counters<IoCounter> counters;
  private final AtomicInteger underWay = new AtomicInteger();

  DamageTold(
      DataConnections connections,
      ClusterGeometry geometry,
      ByteString clusterId,
      Counters<IoCounter> counters) {
    this.calls = new ReplicaCalls(connections, LIMIT);
    this.geometry = geometry;
    this.clusterId = clusterId;
    this.counters = counters;
  }

  /**
   * @param failure of a read there; only one that says that bytes are damaged, or that the disk
   *     does not give them, is reported
   */
  public void onFailed(ReplicaNode node, FileKey file, long block, ErrorCode failure) {
    if (failure != ErrorCode.CORRUPT && failure != ErrorCode.IO_ERROR) {
      return;
    }
    if (underWay.incrementAndGet() > UNDER_WAY) {
      underWay.decrementAndGet();
      return;
    }
    int group = geometry.groupOfBlock(block);
    ReplicaRequest request =
        ReplicaRequest.newBuilder()
            .setClusterId(clusterId)
            .setNode(WireIds.encode(node.id()))
            .setFile(WireIds.encode(file))
            .setGroup(group)
            .setDoubt(
                DoubtBlock.newBuilder()
                    .setBlock((int) (block - (long) group * geometry.groupBlocks())))
            .build();
    counters.increment(IoCounter.DOUBTS_TOLD);
    var unused =
        calls
            .call(node.address(), request)
            .whenComplete((answer, unanswered) -> underWay.decrementAndGet());
  }
}

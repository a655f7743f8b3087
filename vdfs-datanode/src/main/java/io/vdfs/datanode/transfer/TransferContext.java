package io.vdfs.datanode.transfer;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.wire.WireIds;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.stream.StoreReads;
import java.util.UUID;

/**
 * The objects that all streams of a server share. Immutable; its parts are thread-safe.
 *
 * @param doubts blocks that peers found damaged
 * @param threads run what may block
 */
public record TransferContext(
    DataPeers peers,
    ClusterGeometry geometry,
    BlockStore store,
    DoubtedBlocks doubts,
    StoreReads reads,
    DataConnections connections,
    TransferThreads threads,
    TransferSettings settings,
    Counters<TransferCounter> counters) {

  public UUID cluster() {
    return peers.cluster();
  }

  public NodeId self() {
    return peers.self();
  }

  /**
   * Refuses what is meant for another cluster or node.
   *
   * @throws VdfsException INVALID_ARGUMENT naming both
   */
  public void checkAddressee(ByteString clusterMeant, ByteString nodeMeant) throws VdfsException {
    UUID otherCluster = WireIds.uuid("cluster id", clusterMeant);
    if (!otherCluster.equals(cluster())) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "meant for another cluster: meant=" + otherCluster + ", here=" + cluster());
    }
    NodeId otherNode = WireIds.nodeId(nodeMeant);
    if (!otherNode.equals(self())) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "meant for another node: meant=" + otherNode + ", here=" + self());
    }
  }

  /**
   * Refuses bytes that an earlier writer left behind.
   *
   * @param firstEpoch lowest write epoch of the writers whose bytes the reader means
   * @throws VdfsException NOT_FOUND naming the block's epoch
   */
  public void checkEpoch(FileKey file, long block, int firstEpoch) throws VdfsException {
    if (firstEpoch == 0) {
      return;
    }
    long epoch = store.locate(file, block).map(BlockLocation::writeEpoch).orElse(0L);
    if (epoch < firstEpoch) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          ("the node holds nothing that the present writer wrote: file=%s, block=%s,"
                  + " epoch=%s, firstEpoch=%s")
              .formatted(file, block, epoch, firstEpoch));
    }
  }

  /**
   * Refuses a range that does not begin in a block; one that goes on beyond its end ends there.
   *
   * @throws VdfsException INVALID_ARGUMENT naming the range
   */
  public void checkRange(long block, int offset, int length) throws VdfsException {
    if (block < 0 || offset < 0 || offset >= geometry.blockSize() || length < 1) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "range out of the block: block=" + block + ", offset=" + offset + ", length=" + length);
    }
  }
}

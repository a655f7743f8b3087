package io.vdfs.mapreduce.plan;

import com.google.common.collect.Lists;
import com.google.protobuf.ByteString;
import io.vdfs.client.meta.cluster.ClusterSnapshot;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import io.vdfs.mapreduce.plan.PinnedInput.PinnedFile;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Cuts the description of a stream into requests that fit into the metadata log. A file with more
 * groups than fit into one piece is continued in the next. Confined to one thread.
 */
final class StreamChunks {
  /** Groups of one piece of a file; their owners take at most two bytes each. */
  private static final int GROUPS_PER_PIECE = 8_192;

  private static final int CHUNK_BYTES = 64 << 10;

  private final ByteString streamId;
  private final StreamHeader header;
  private final List<NodeId> nodes;
  private final ClusterGeometry geometry;
  private final PinnedInput input;

  /**
   * @param settings what the header says of the job; nodes and geometry are added
   */
  StreamChunks(
      ClusterSnapshot cluster, PinnedInput input, StreamHeader.Builder settings, byte[] streamId) {
    this.streamId = ByteString.copyFrom(streamId);
    this.nodes = List.copyOf(cluster.ring().members());
    this.geometry = cluster.properties().geometry();
    this.input = input;
    StreamHeader.Builder builder =
        settings.clone().setBlockSize(geometry.blockSize()).setGroupBlocks(geometry.groupBlocks());
    for (NodeId node : nodes) {
      StreamNode.Builder described = StreamNode.newBuilder().setNode(WireIds.encode(node));
      neighbours(cluster.ring(), node)
          .forEach(neighbour -> described.addNeighbours(nodes.indexOf(neighbour)));
      builder.addNodes(described);
    }
    this.header = builder.build();
  }

  /** The other nodes some of whose blocks {@code node} holds replicas of. */
  private static SortedSet<NodeId> neighbours(RingMap ring, NodeId node) {
    SortedSet<NodeId> owners = new TreeSet<>();
    for (ArcReplicas arc : ring.arcs()) {
      if (!arc.owner().equals(node) && arc.serving().contains(node)) {
        owners.add(arc.owner());
      }
    }
    return owners;
  }

  List<CreateStreamChunkOp> requests() {
    List<CreateStreamChunkOp> requests = new ArrayList<>();
    CreateStreamChunkOp.Builder chunk = chunk(0).setHeader(header);
    int size = header.getSerializedSize();
    for (int index = 0; index < input.files().size(); index++) {
      for (StreamFile piece : pieces(index, input.files().get(index))) {
        if (size + piece.getSerializedSize() > CHUNK_BYTES && chunk.getFilesCount() > 0) {
          requests.add(chunk.build());
          chunk = chunk(requests.size());
          size = 0;
        }
        chunk.addFiles(piece);
        size += piece.getSerializedSize();
      }
    }
    requests.add(chunk.build());
    return requests;
  }

  private CreateStreamChunkOp.Builder chunk(int index) {
    return CreateStreamChunkOp.newBuilder().setStreamId(streamId).setChunkIndex(index);
  }

  private List<StreamFile> pieces(int index, PinnedFile file) {
    List<StreamFile> pieces = new ArrayList<>();
    long blocks = geometry.blockCount(file.length());
    long first = 0;
    for (List<NodeId> owners : Lists.partition(file.owners(), GROUPS_PER_PIECE)) {
      long count = Math.min(blocks - first, (long) owners.size() * geometry.groupBlocks());
      StreamFile.Builder piece =
          StreamFile.newBuilder()
              .setIndex(index)
              .setFile(WireIds.encode(file.key()))
              .setLength(file.length())
              .setPath(file.path())
              .addRanges(BlockRangeProto.newBuilder().setFirst(first).setCount(count));
      owners.forEach(owner -> piece.addGroupNodes(nodes.indexOf(owner)));
      pieces.add(piece.build());
      first += count;
    }
    return pieces;
  }
}

package io.vdfs.client.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Cuts the description of a stream into requests that fit into the metadata log. A file with more
 * groups than fit into one piece is continued in the next. Confined to one thread.
 */
final class StreamChunks {
  /** Groups of one piece of a file; their owners take at most two bytes each. */
  private static final int GROUPS_PER_PIECE = 8_192;

  private static final int CHUNK_BYTES = 64 << 10;

  private final StreamPlan plan;
  private final ByteString streamId;
  private final Map<NodeId, Integer> nodeIndexes = new HashMap<>();
  private final StreamHeader header;

  StreamChunks(StreamPlan plan) {
    this.plan = plan;
    this.streamId = LedgerMessages.encode(plan.stream());
    for (StreamPlan.Node node : plan.nodes()) {
      nodeIndexes.put(node.id(), nodeIndexes.size());
    }
    this.header = header();
  }

  private StreamHeader header() {
    StreamPlan.Draws draws = plan.draws();
    StreamHeader.Builder builder =
        StreamHeader.newBuilder()
            .setTasks(draws.tasks())
            .setSurplusTasks(draws.surplus())
            .setWholeGroups(draws.wholeGroups())
            .setAudited(draws.audited())
            .setNoStealing(!draws.stealing())
            .setBlockSize(plan.geometry().blockSize())
            .setGroupBlocks(plan.geometry().groupBlocks());
    for (StreamPlan.Node node : plan.nodes()) {
      builder.addNodes(
          StreamNode.newBuilder()
              .setNode(WireIds.encode(node.id()))
              .addAllNeighbours(indexes(node.neighbours())));
    }
    return builder.build();
  }

  private List<Integer> indexes(Set<NodeId> nodes) {
    return nodes.stream().sorted().map(nodeIndexes::get).toList();
  }

  List<CreateStreamChunkOp> requests() {
    List<CreateStreamChunkOp> requests = new ArrayList<>();
    CreateStreamChunkOp.Builder chunk = chunk(0).setHeader(header);
    int size = header.getSerializedSize();
    for (int index = 0; index < plan.files().size(); index++) {
      for (StreamFile piece : pieces(index, plan.files().get(index))) {
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

  private List<StreamFile> pieces(int index, StreamPlan.File file) {
    List<StreamFile> pieces = new ArrayList<>();
    int groupBlocks = plan.geometry().groupBlocks();
    long blocks = plan.geometry().blockCount(file.length());
    long first = 0;
    int groups = file.owners().size();
    for (int group = 0; group < groups; group += GROUPS_PER_PIECE) {
      List<NodeId> owners =
          file.owners().subList(group, Math.min(groups, group + GROUPS_PER_PIECE));
      long count = Math.min(blocks - first, (long) owners.size() * groupBlocks);
      StreamFile.Builder piece =
          StreamFile.newBuilder()
              .setIndex(index)
              .setFile(WireIds.encode(file.key()))
              .setLength(file.length())
              .setPath(file.path())
              .addRanges(BlockRangeProto.newBuilder().setFirst(first).setCount(count));
      owners.forEach(owner -> piece.addGroupNodes(nodeIndexes.get(owner)));
      pieces.add(piece.build());
      first += count;
    }
    return pieces;
  }
}

package io.vdfs.datanode.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The input of a job as its client would describe it: builds the requests that create a stream. */
public final class TestStream {
  /** Most tasks that a stream may have. */
  static final int MOST_TASKS = 100_000;

  public static final int BLOCK_SIZE = 10;

  private final ByteString id;
  private final StreamHeader.Builder header;
  private final List<StreamFile> files = new ArrayList<>();
  private long fileCount;
  private long blocks;
  private long bytes;

  public TestStream(long id, int tasks, int nodes, int groupBlocks) {
    this.id = ByteString.copyFrom(new StreamId(77, id).toBytes());
    this.header =
        StreamHeader.newBuilder()
            .setTasks(tasks)
            .setBlockSize(BLOCK_SIZE)
            .setGroupBlocks(groupBlocks)
            .setAudited(true);
    for (int node = 0; node < nodes; node++) {
      header.addNodes(StreamNode.newBuilder().setNode(node(node)));
    }
  }

  static ByteString node(int index) {
    return ByteString.copyFrom(ByteBuffer.allocate(16).putLong(9).putLong(index).array());
  }

  ByteString id() {
    return id;
  }

  StreamHeader.Builder header() {
    return header;
  }

  List<StreamFile> files() {
    return files;
  }

  long blocks() {
    return blocks;
  }

  /** Adds a file whose group {@code g} is in the pool of node {@code nodes[g % nodes.length]}. */
  TestStream file(long length, int... nodes) {
    int fileBlocks = Math.toIntExact((length + BLOCK_SIZE - 1) / BLOCK_SIZE);
    StreamFile.Builder file = newFile(length);
    if (fileBlocks > 0) {
      file.addRanges(range(0, fileBlocks));
      int groups = (fileBlocks - 1) / header.getGroupBlocks() + 1;
      for (int group = 0; group < groups; group++) {
        file.addGroupNodes(nodes[group % nodes.length]);
      }
    }
    return add(file.build(), fileBlocks, length);
  }

  /** A file with nothing to hand out yet, numbered after the last one. */
  public StreamFile.Builder newFile(long length) {
    return StreamFile.newBuilder()
        .setIndex((int) fileCount)
        .setFile(FileKeyProto.newBuilder().setFileId(100 + fileCount).setGeneration(1))
        .setLength(length)
        .setPath("/in/part-" + fileCount);
  }

  /** Adds a file as it is; {@code handedOut} counts what its ranges cover. */
  TestStream add(StreamFile file, long handedOut, long handedOutBytes) {
    files.add(file);
    fileCount = file.getIndex() + 1L;
    blocks += handedOut;
    bytes += handedOutBytes;
    return this;
  }

  public static BlockRangeProto range(long first, long count) {
    return BlockRangeProto.newBuilder().setFirst(first).setCount(count).build();
  }

  /** The files cut into {@code chunks} chunks. */
  List<LedgerRequest> chunks(int chunks) {
    List<LedgerRequest> requests = new ArrayList<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      int from = files.size() * chunk / chunks;
      int to = files.size() * (chunk + 1) / chunks;
      requests.add(chunk(chunk, files.subList(from, to)));
    }
    return requests;
  }

  LedgerRequest chunk(int index, List<StreamFile> part) {
    CreateStreamChunkOp.Builder op =
        CreateStreamChunkOp.newBuilder().setStreamId(id).setChunkIndex(index).addAllFiles(part);
    if (index == 0) {
      op.setHeader(header);
    }
    return LedgerRequest.newBuilder().setCreateChunk(op).build();
  }

  LedgerRequest seal() {
    return seal(fileCount, blocks, bytes);
  }

  LedgerRequest seal(long expectedFiles, long expectedBlocks, long expectedBytes) {
    return LedgerRequest.newBuilder()
        .setSeal(
            SealStreamOp.newBuilder()
                .setStreamId(id)
                .setFiles(expectedFiles)
                .setBlocks(expectedBlocks)
                .setBytes(expectedBytes))
        .build();
  }
}

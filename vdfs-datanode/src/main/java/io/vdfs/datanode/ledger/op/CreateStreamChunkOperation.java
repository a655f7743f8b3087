package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.ChunkAddedRecord;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.CreateStreamChunkResult;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.StreamCreatedRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.datanode.ledger.state.FileTable;
import io.vdfs.datanode.ledger.state.StreamMemory;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import java.util.zip.CRC32C;

/** Creates a stream with its chunk 0, or adds the next chunk. */
final class CreateStreamChunkOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    CreateStreamChunkOp op = request.getCreateChunk();
    StreamId id = StreamTable.id(op.getStreamId());
    StreamState stream = context.streams().find(id);
    return stream == null ? create(id, op, context, changes) : extend(stream, op, context, changes);
  }

  private static LedgerResponse create(
      StreamId id, CreateStreamChunkOp op, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    if (op.getChunkIndex() != 0) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "no such stream to add to: stream=" + id + ", chunk=" + chunkIndex(op));
    }
    String owner = context.caller().user();
    checkStreams(owner, context);
    StreamHeader header = op.getHeader();
    FileTable noFiles = new FileTable(header.getBlockSize());
    ChunkCheck check = new ChunkCheck(id.toString(), header, noFiles, 0, context.bounds());
    check.header();
    checkFiles(check, op);
    checkMemory(owner, check, context);
    changes.add(
        LedgerChanges.of(op.getStreamId())
            .setCreated(
                StreamCreatedRecord.newBuilder()
                    .setOwner(owner)
                    .setHeader(header)
                    .setExpiresMillis(Lease.unsealedExpiry(context.timeMillis())))
            .build());
    changes.add(chunkAdded(op, context.timeMillis()));
    return result(1);
  }

  private static LedgerResponse extend(
      StreamState stream, CreateStreamChunkOp op, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    StreamTable.checkOwner(stream, context.caller());
    int chunks = stream.chunkSums().size();
    int index = op.getChunkIndex();
    if (index >= 0 && index < chunks) {
      if (stream.chunkSums().get(index) != sum(op)) {
        throw invalid(stream, op, "the chunk was accepted with other content");
      }
      return result(chunks);
    }
    if (stream.sealed()) {
      throw invalid(stream, op, "a sealed stream accepts no chunks");
    }
    if (index != chunks) {
      throw invalid(stream, op, "chunks come without gaps");
    }
    if (op.hasHeader()) {
      throw invalid(stream, op, "only chunk 0 has a header");
    }
    long before = stream.totals().blocks();
    ChunkCheck check =
        new ChunkCheck(
            stream.id().toString(), stream.header(), stream.files(), before, context.bounds());
    checkFiles(check, op);
    checkMemory(stream.owner(), check, context);
    changes.add(chunkAdded(op, context.timeMillis()));
    return result(chunks + 1);
  }

  private static void checkStreams(String owner, LedgerContext context) throws VdfsException {
    int streams = context.streams().countOf(owner);
    if (streams >= context.bounds().streams()) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          ("a user has at most %s streams, each until %s days after its last use; run fewer"
                  + " and larger jobs: user=%s, streams=%s")
              .formatted(context.bounds().streams(), Lease.SEALED.toDays(), owner, streams));
    }
  }

  private static void checkMemory(String owner, ChunkCheck chunk, LedgerContext context)
      throws VdfsException {
    long bytes = context.streams().memoryOf(owner) + chunk.memory() + StreamMemory.CHUNK;
    if (bytes > context.bounds().memory()) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          ("the streams of a user take at most %s bytes of the metadata's memory, each until"
                  + " %s days after its last use; wait for that, run fewer jobs over fewer and larger"
                  + " files, or give the daemons more heap, half of which that is: user=%s, bytes=%s")
              .formatted(context.bounds().memory(), Lease.SEALED.toDays(), owner, bytes));
    }
  }

  private static void checkFiles(ChunkCheck check, CreateStreamChunkOp op) throws VdfsException {
    for (StreamFile file : op.getFilesList()) {
      check.file(file);
    }
  }

  private static LedgerRecord chunkAdded(CreateStreamChunkOp op, long timeMillis) {
    return LedgerChanges.of(op.getStreamId())
        .setChunkAdded(
            ChunkAddedRecord.newBuilder()
                .setChunkIndex(op.getChunkIndex())
                .setSum(sum(op))
                .addAllFiles(op.getFilesList())
                .setExpiresMillis(Lease.unsealedExpiry(timeMillis)))
        .build();
  }

  /** Length and CRC32C of the chunk: enough to tell a retry from a client's mistake. */
  private static long sum(CreateStreamChunkOp op) {
    byte[] bytes = op.toByteArray();
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (long) bytes.length << 32 | crc.getValue();
  }

  private static LedgerResponse result(int chunks) {
    return LedgerResponse.newBuilder()
        .setCreateChunk(CreateStreamChunkResult.newBuilder().setChunks(chunks))
        .build();
  }

  private static VdfsException invalid(StreamState stream, CreateStreamChunkOp op, String problem) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "%s: %s, chunk=%s, accepted=%s"
            .formatted(problem, stream, chunkIndex(op), stream.chunkSums().size()));
  }

  private static String chunkIndex(CreateStreamChunkOp op) {
    return Integer.toUnsignedString(op.getChunkIndex());
  }
}

package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.ChunkAddedRecord;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.CreateStreamChunkResult;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.StreamCreatedRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.ledger.state.FileTable;
import io.vdfs.datanode.ledger.state.StreamMemory;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import java.util.zip.CRC32C;

/** Creates a stream with its chunk 0, or adds the next chunk. Pure. */
public final class CreateStreamChunkOperation {
  private CreateStreamChunkOperation() {}

  /** Decides on the request; throws as the ledger tells. */
  public static LedgerOutcome execute(
      StreamTable streams,
      CreateStreamChunkOp op,
      Caller caller,
      long timeMillis,
      StreamBounds bounds)
      throws VdfsException {
    StreamId id = StreamTable.id(op.getStreamId());
    StreamState stream = streams.find(id);
    return stream == null
        ? create(streams, id, op, caller, timeMillis, bounds)
        : extend(streams, stream, op, caller, timeMillis, bounds);
  }

  private static LedgerOutcome create(
      StreamTable streams,
      StreamId id,
      CreateStreamChunkOp op,
      Caller caller,
      long timeMillis,
      StreamBounds bounds)
      throws VdfsException {
    if (op.getChunkIndex() != 0) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "no such stream to add to: stream=" + id + ", chunk=" + chunkIndex(op));
    }
    checkStreams(streams.countOf(caller.user()), caller, bounds);
    StreamHeader header = op.getHeader();
    FileTable noFiles = new FileTable(header.getBlockSize());
    ChunkCheck check = new ChunkCheck(id.toString(), header, noFiles, 0, bounds);
    check.header();
    checkFiles(check, op);
    checkMemory(streams, caller.user(), check, bounds);
    LedgerRecord created =
        record(op)
            .setCreated(
                StreamCreatedRecord.newBuilder()
                    .setOwner(caller.user())
                    .setHeader(header)
                    .setExpiresMillis(Lease.unsealedExpiry(timeMillis)))
            .build();
    return LedgerOutcome.of(result(1), created, chunkAdded(op, timeMillis));
  }

  private static LedgerOutcome extend(
      StreamTable streams,
      StreamState stream,
      CreateStreamChunkOp op,
      Caller caller,
      long timeMillis,
      StreamBounds bounds)
      throws VdfsException {
    StreamTable.checkOwner(stream, caller);
    int chunks = stream.chunkSums().size();
    int index = op.getChunkIndex();
    if (index >= 0 && index < chunks) {
      if (stream.chunkSums().get(index) != sum(op)) {
        throw invalid(stream, op, "the chunk was accepted with other content");
      }
      return LedgerOutcome.of(result(chunks));
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
        new ChunkCheck(stream.id().toString(), stream.header(), stream.files(), before, bounds);
    checkFiles(check, op);
    checkMemory(streams, stream.owner(), check, bounds);
    return LedgerOutcome.of(result(chunks + 1), chunkAdded(op, timeMillis));
  }

  private static void checkStreams(int streams, Caller caller, StreamBounds bounds)
      throws VdfsException {
    if (streams >= bounds.streams()) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          "a user has at most "
              + bounds.streams()
              + " streams, each until "
              + Lease.SEALED.toDays()
              + " days after its last use; run fewer and larger jobs: user="
              + caller.user()
              + ", streams="
              + streams);
    }
  }

  private static void checkMemory(
      StreamTable streams, String owner, ChunkCheck chunk, StreamBounds bounds)
      throws VdfsException {
    long bytes = streams.memoryOf(owner) + chunk.memory() + StreamMemory.CHUNK;
    if (bytes > bounds.memory()) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          "the streams of a user take at most "
              + bounds.memory()
              + " bytes of the metadata's memory, each until "
              + Lease.SEALED.toDays()
              + " days after its last use; wait for that, run fewer jobs over fewer and larger"
              + " files, or give the daemons more heap, half of which that is: user="
              + owner
              + ", bytes="
              + bytes);
    }
  }

  private static void checkFiles(ChunkCheck check, CreateStreamChunkOp op) throws VdfsException {
    for (StreamFile file : op.getFilesList()) {
      check.file(file);
    }
  }

  private static LedgerRecord chunkAdded(CreateStreamChunkOp op, long timeMillis) {
    return record(op)
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

  private static LedgerRecord.Builder record(CreateStreamChunkOp op) {
    return LedgerRecord.newBuilder().setStreamId(op.getStreamId());
  }

  private static LedgerResponse.Builder result(int chunks) {
    return LedgerResponse.newBuilder()
        .setCreateChunk(CreateStreamChunkResult.newBuilder().setChunks(chunks));
  }

  private static VdfsException invalid(StreamState stream, CreateStreamChunkOp op, String problem) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        problem
            + ": "
            + stream
            + ", chunk="
            + chunkIndex(op)
            + ", accepted="
            + stream.chunkSums().size());
  }

  private static String chunkIndex(CreateStreamChunkOp op) {
    return Integer.toUnsignedString(op.getChunkIndex());
  }
}

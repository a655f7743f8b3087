package io.vdfs.datanode.transfer.replica;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A range of a block from another node, each chunk compared with its writer's checksum. The bytes
 * are confined to the connection's event loop until all are there.
 */
final class RangeFetch implements StreamListener {
  private final ReadRequest request;
  private final int chunkSize;
  private final VerifiedChunks.Collector bytes;
  private final CompletableFuture<VerifiedChunks> all = new CompletableFuture<>();

  private RangeFetch(ReadRequest request, int chunkSize) {
    this.request = request;
    this.chunkSize = chunkSize;
    this.bytes = new VerifiedChunks.Collector(request.getLength(), chunkSize);
  }

  /**
   * Waits for the bytes.
   *
   * @param request of whole chunks, except for the last one
   * @param limit of the whole fetch
   * @throws VdfsException as the node fails; CORRUPT; UNAVAILABLE if there are fewer bytes or no
   *     answer in time
   */
  static VerifiedChunks get(
      DataConnections connections,
      DataAddress address,
      ReadRequest request,
      int chunkSize,
      Duration limit)
      throws VdfsException {
    RangeFetch fetch = new RangeFetch(request, chunkSize);
    CompletableFuture<DataConnection> shared = connections.shared(address);
    var unused =
        shared.whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                fetch.send(connection);
              } else {
                fetch.all.completeExceptionally(failure);
              }
            });
    try {
      return fetch.all.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw Causes.asVdfs(e.getCause());
    } catch (TimeoutException e) {
      onUnanswered(shared, limit);
      VdfsException late =
          new VdfsException(
              ErrorCode.UNAVAILABLE,
              "no answer in time: address=" + address + ", limit=" + limit.toMillis() + " ms",
              e);
      fetch.all.completeExceptionally(late);
      throw late;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VdfsException(ErrorCode.UNAVAILABLE, "the node stops", e);
    }
  }

  private static void onUnanswered(CompletableFuture<DataConnection> shared, Duration limit) {
    var unused = shared.thenAccept(connection -> connection.onUnanswered(limit));
  }

  private void send(DataConnection connection) {
    DataStream stream = connection.open(this);
    var unused =
        all.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                stream.end();
              } else {
                stream.cancel();
              }
            });
    stream.send(FrameType.READ_REQUEST, request);
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.READ_DATA) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a read is answered with data: frame=" + frame);
    }
    if (all.isDone()) {
      return;
    }
    ReadData data = frame.header(ReadData.parser());
    try {
      take(data, frame.payload());
    } catch (VdfsException e) {
      all.completeExceptionally(e);
    }
  }

  private void take(ReadData data, ByteBuf payload) throws VdfsException {
    if (data.hasError()) {
      throw WireIds.exception(data.getError());
    }
    int length = payload.readableBytes();
    int rest = request.getLength() - bytes.length();
    boolean fits =
        (length == 0
                || (data.getOffset() == request.getOffset() + bytes.length() && bytes.isAligned()))
            && WireChecksums.holds(data.getChecksums(), ChunkChecksums.countFor(length, chunkSize))
            && ChunkChecksums.countFor(length, chunkSize)
                <= ChunkChecksums.countFor(rest, chunkSize);
    if (!fits) {
      throw unfit(data, length);
    }
    if (length > 0) {
      // the last chunk may go on behind what was asked for
      bytes.add(
          VerifiedChunks.verify(
              payload.nioBuffer(),
              WireChecksums.decode(data.getChecksums()),
              chunkSize,
              bad -> unfit(data, length)));
    }
    if (bytes.isFull()) {
      all.complete(bytes.collected());
    } else if (data.getLast()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "the node holds less: node has=" + bytes.length() + ", wanted=" + request.getLength());
    }
  }

  private VdfsException unfit(ReadData data, int length) {
    return new VdfsException(
        ErrorCode.CORRUPT,
        ("piece does not fit or differs from its checksums: offset=%s, length=%s,"
                + " bytes of checksums=%s, expected offset=%s")
            .formatted(
                data.getOffset(),
                length,
                data.getChecksums().size(),
                request.getOffset() + bytes.length()));
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    all.completeExceptionally(cause);
  }
}

package io.vdfs.client.ledger;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.StoppedReading;

/**
 * Stopped tasks as bytes, from the part of an attempt that reads to the part that commits.
 * Stateless.
 */
public final class StoppedTaskCodec {
  private StoppedTaskCodec() {}

  public static byte[] encode(StoppedTask stopped) {
    return LedgerMessages.stop(stopped).toByteArray();
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if these are not the bytes of a stopped task
   */
  public static StoppedTask decode(byte[] bytes) throws VdfsException {
    CloseTaskOp close;
    try {
      close = CloseTaskOp.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "no stopped task: bytes=" + bytes.length, e);
    }
    if (close.getStreamId().size() != StreamId.BYTES || !close.hasStopped()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a stopped task has a stream and says what it processed: stream id bytes=%s"
              .formatted(close.getStreamId().size()));
    }
    StreamId stream = StreamId.of(close.getStreamId().toByteArray());
    StoppedReading stopped = close.getStopped();
    return new StoppedTask(
        new StreamTask(stream, close.getTask()),
        stopped.getRuns(),
        LedgerMessages.totals(stopped.getProcessed()));
  }
}

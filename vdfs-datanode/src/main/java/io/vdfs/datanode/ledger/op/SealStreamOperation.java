package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.SealStreamResult;
import io.vdfs.common.wire.proto.StreamSealedRecord;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.Totals;

/** Ends the creation of a stream, if what arrived is what the client sent. */
final class SealStreamOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    SealStreamOp op = request.getSeal();
    StreamState stream = context.streams().require(op.getStreamId(), context.caller());
    checkTotals(stream, op);
    if (stream.sealed()) {
      return result(stream, stream.expiresMillis());
    }
    long expires = Lease.expiry(stream, context.timeMillis());
    changes.add(
        LedgerChanges.of(op.getStreamId())
            .setSealed(
                StreamSealedRecord.newBuilder()
                    .setExpiresMillis(expires)
                    .setSealedMillis(context.timeMillis()))
            .build());
    return result(stream, expires);
  }

  private static void checkTotals(StreamState stream, SealStreamOp op) throws VdfsException {
    Totals totals = stream.totals();
    boolean equal =
        op.getFiles() == stream.files().size()
            && op.getBlocks() == totals.blocks()
            && op.getBytes() == totals.bytes();
    if (!equal) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          ("the stream is not what its client meant to create: %s, files=%s, blocks=%s,"
                  + " bytes=%s, expectedFiles=%s, expectedBlocks=%s, expectedBytes=%s")
              .formatted(
                  stream,
                  stream.files().size(),
                  totals.blocks(),
                  totals.bytes(),
                  op.getFiles(),
                  op.getBlocks(),
                  op.getBytes()));
    }
  }

  private static LedgerResponse result(StreamState stream, long expires) {
    return LedgerResponse.newBuilder()
        .setSeal(
            SealStreamResult.newBuilder()
                .setFiles(stream.files().size())
                .setTotals(stream.totals().toMessage())
                .setExpiresMillis(expires))
        .build();
  }
}

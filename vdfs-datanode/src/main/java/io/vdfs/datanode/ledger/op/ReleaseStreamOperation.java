package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.ReleaseStreamResult;
import io.vdfs.common.wire.proto.StreamDroppedRecord;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;

/** Drops a stream; nothing if it is not there. */
final class ReleaseStreamOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    StreamState stream = context.streams().find(StreamTable.id(request.getRelease().getStreamId()));
    if (stream != null) {
      StreamTable.checkOwner(stream, context.caller());
      changes.add(
          LedgerChanges.of(request.getRelease().getStreamId())
              .setDropped(StreamDroppedRecord.getDefaultInstance())
              .build());
    }
    return LedgerResponse.newBuilder()
        .setRelease(ReleaseStreamResult.newBuilder().setReleased(stream != null))
        .build();
  }
}

package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LeaseExtendedRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.RenewStreamOp;
import io.vdfs.common.wire.proto.RenewStreamResult;
import io.vdfs.datanode.ledger.state.StreamState;

/** Lengthens the lease of a stream, and notes that its job began to run. */
final class RenewStreamOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    RenewStreamOp op = request.getRenew();
    StreamState stream = context.streams().requireSealed(op.getStreamId(), context.caller());
    long expires = Lease.expiry(stream, context.timeMillis());
    boolean begins = op.getBegins() && !stream.begun();
    if (expires != stream.expiresMillis() || begins) {
      changes.add(
          LedgerChanges.of(op.getStreamId())
              .setLeaseExtended(
                  LeaseExtendedRecord.newBuilder().setExpiresMillis(expires).setBegins(begins))
              .build());
    }
    return LedgerResponse.newBuilder()
        .setRenew(RenewStreamResult.newBuilder().setExpiresMillis(expires))
        .build();
  }
}

package io.vdfs.datanode.ledger.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ExpireStreamsResult;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.StreamDroppedRecord;
import io.vdfs.datanode.ledger.state.StreamState;

/** Drops the streams whose leases have ended; for superusers. */
final class ExpireStreamsOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    if (!context.caller().superuser()) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser may expire streams: caller=" + context.caller().user());
    }
    ExpireStreamsResult.Builder result = ExpireStreamsResult.newBuilder();
    for (StreamState stream : context.streams().all()) {
      if (stream.expiresMillis() <= context.timeMillis()) {
        ByteString id = ByteString.copyFrom(stream.id().toBytes());
        changes.add(
            LedgerChanges.of(id)
                .setDropped(StreamDroppedRecord.newBuilder().setExpired(true))
                .build());
        result.addStreamIds(id);
      }
    }
    return LedgerResponse.newBuilder().setExpire(result).build();
  }
}

package io.vdfs.datanode.ledger.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ExpireStreamsResult;
import io.vdfs.common.wire.proto.LeaseExtendedRecord;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.ReleaseStreamResult;
import io.vdfs.common.wire.proto.RenewStreamOp;
import io.vdfs.common.wire.proto.RenewStreamResult;
import io.vdfs.common.wire.proto.StreamDroppedRecord;
import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import java.util.ArrayList;
import java.util.List;

/** How long a stream stays: renew, release, expire. Pure. */
public final class LifetimeOperations {
  private LifetimeOperations() {}

  /** Lengthens the lease of a stream. */
  public static LedgerOutcome renew(
      StreamTable streams, RenewStreamOp op, Caller caller, long timeMillis) throws VdfsException {
    StreamState stream = streams.requireSealed(op.getStreamId(), caller);
    long expires = Lease.expiry(stream, timeMillis);
    LedgerResponse.Builder response =
        LedgerResponse.newBuilder()
            .setRenew(RenewStreamResult.newBuilder().setExpiresMillis(expires));
    boolean begins = op.getBegins() && !stream.begun();
    if (expires == stream.expiresMillis() && !begins) {
      return LedgerOutcome.of(response);
    }
    LedgerRecord record =
        LedgerRecord.newBuilder()
            .setStreamId(op.getStreamId())
            .setLeaseExtended(
                LeaseExtendedRecord.newBuilder().setExpiresMillis(expires).setBegins(begins))
            .build();
    return LedgerOutcome.of(response, record);
  }

  /** Drops a stream; nothing if it is not there. */
  public static LedgerOutcome release(StreamTable streams, ReleaseStreamOp op, Caller caller)
      throws VdfsException {
    StreamState stream = streams.find(StreamTable.id(op.getStreamId()));
    if (stream == null) {
      return LedgerOutcome.of(released(false));
    }
    StreamTable.checkOwner(stream, caller);
    return LedgerOutcome.of(released(true), dropped(stream, false));
  }

  /** Drops the streams whose leases have ended. */
  public static LedgerOutcome expire(StreamTable streams, Caller caller, long timeMillis)
      throws VdfsException {
    if (!caller.superuser()) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only the superuser may expire streams: caller=" + caller.user());
    }
    ExpireStreamsResult.Builder result = ExpireStreamsResult.newBuilder();
    List<LedgerRecord> records = new ArrayList<>();
    for (StreamState stream : streams.all()) {
      if (stream.expiresMillis() <= timeMillis) {
        LedgerRecord record = dropped(stream, true);
        records.add(record);
        result.addStreamIds(record.getStreamId());
      }
    }
    return new LedgerOutcome(records, LedgerResponse.newBuilder().setExpire(result).build());
  }

  private static LedgerRecord dropped(StreamState stream, boolean expired) {
    return LedgerRecord.newBuilder()
        .setStreamId(ByteString.copyFrom(stream.id().toBytes()))
        .setDropped(StreamDroppedRecord.newBuilder().setExpired(expired))
        .build();
  }

  private static LedgerResponse.Builder released(boolean released) {
    return LedgerResponse.newBuilder()
        .setRelease(ReleaseStreamResult.newBuilder().setReleased(released));
  }
}

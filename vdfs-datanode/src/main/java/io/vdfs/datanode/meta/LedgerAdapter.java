package io.vdfs.datanode.meta;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.ledger.Ledger;
import io.vdfs.datanode.ledger.op.LedgerOutcome;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the {@link Ledger} into the replicated state. Confined to the metadata loop. */
public final class LedgerAdapter implements LedgerHost {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerAdapter.class);

  private Ledger ledger = new Ledger();

  @Override
  public MetaResponse apply(MetaRequest request, MetadataSettings settings) {
    LedgerOutcome outcome;
    try {
      outcome =
          ledger.execute(
              request.getLedger(),
              caller(request),
              request.getTimeMillis(),
              bounds(request.getLedger(), settings));
    } catch (VdfsException e) {
      return Refusals.response(e);
    } catch (RuntimeException e) {
      return defect(e);
    }
    outcome.records().forEach(ledger::replay);
    return response(outcome.response());
  }

  @Override
  public MetaResponse query(MetaRequest request) {
    try {
      return response(ledger.query(request.getLedgerQuery(), caller(request)));
    } catch (VdfsException e) {
      return Refusals.response(e);
    } catch (RuntimeException e) {
      return defect(e);
    }
  }

  private static Caller caller(MetaRequest request) throws VdfsException {
    Access access = Access.of(request.getCaller());
    return new Caller(access.user(), access.isSuperuser());
  }

  private static StreamBounds bounds(LedgerRequest request, MetadataSettings settings) {
    return request.getBounded()
        ? StreamBounds.of(
            settings.geometry(),
            settings.limits().pathLength(),
            request.getStreamMemory() > 0 ? request.getStreamMemory() : Long.MAX_VALUE)
        : StreamBounds.NONE;
  }

  private static MetaResponse response(LedgerResponse response) {
    return MetaResponse.newBuilder().setLedger(response).build();
  }

  /** Nothing was changed yet on any replica; see {@link MetadataState}. */
  private static MetaResponse defect(RuntimeException e) {
    LOG.error("defect in the ledger", e);
    return Refusals.response(
        ErrorCode.INTERNAL, "defect in the ledger: exception=" + e.getClass().getName());
  }

  @Override
  public void save(RecordSink sink) throws IOException {
    try {
      ledger.snapshot(record -> accept(sink, record));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void accept(RecordSink sink, LedgerRecord record) {
    try {
      sink.accept(record.toByteString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void clear() {
    ledger = new Ledger();
  }

  @Override
  public void load(ByteString record) throws VdfsException {
    try {
      ledger.replay(LedgerRecord.parseFrom(record));
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.CORRUPT, "snapshot has a damaged ledger record", e);
    }
  }
}

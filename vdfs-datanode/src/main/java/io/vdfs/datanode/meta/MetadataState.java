package io.vdfs.datanode.meta;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallRecord;
import io.vdfs.common.wire.proto.MetaRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SnapshotHeader;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.op.Operations;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.query.Queries;
import io.vdfs.datanode.meta.query.Query;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.LogClock;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata of a cluster as one deterministic state: namespace, leases, deletions, answered
 * calls, and the ledgers of a {@link LedgerHost}. Confined to the metadata loop.
 *
 * <p>A mutation runs in this order: its time advances the clock; a retry gets the first response;
 * an operation decides on records and a response; the records are replayed; the response is kept.
 */
public final class MetadataState implements ReplicatedState {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataState.class);
  private static final int CLIENT_ID_BYTES = 16;

  private record Outcome(MetaResponse response, List<MetaRecord> records) {}

  private final MetadataSettings settings;
  private final FeatureLevels levels;
  private final LedgerHost ledgers;
  private final Runnable onRepeatedCall;
  private final Operations operations;
  private final Queries queries;
  private MetadataRecords records;

  /** Begins with the state of a new cluster: a root directory that belongs to the superuser. */
  public MetadataState(MetadataSettings settings, LedgerHost ledgers) {
    this(settings, FeatureLevels.ofThisRelease(), ledgers, new FlushedLengths(), () -> {});
  }

  /**
   * As above.
   *
   * @param levels the feature levels that this release can carry out
   * @param flushed what answers to queries add to the state while this node leads
   * @param onRepeatedCall run for each mutation that had been answered before
   */
  public MetadataState(
      MetadataSettings settings,
      FeatureLevels levels,
      LedgerHost ledgers,
      FlushedLengths flushed,
      Runnable onRepeatedCall) {
    this.levels = levels;
    this.operations = new Operations(levels);
    this.queries = new Queries(flushed);
    this.onRepeatedCall = onRepeatedCall;
    this.settings = Objects.requireNonNull(settings, "settings");
    this.ledgers = Objects.requireNonNull(ledgers, "ledgers");
    this.records = MetadataRecords.ofNewCluster(settings);
  }

  @Override
  public MetaResponse apply(MetaRequest request) {
    advanceClock(request.getTimeMillis());
    if (!request.hasCallId()) {
      return execute(request);
    }
    CallIdProto id = request.getCallId();
    if (isMalformed(id)) {
      return Refusals.response(
          ErrorCode.INVALID_ARGUMENT,
          "a client id has 16 bytes: clientId.size=" + id.getClientId().size());
    }
    String user = request.getCaller().getUser();
    Optional<MetaResponse> first = records.calls().find(id, user);
    if (first.isPresent()) {
      onRepeatedCall.run();
      return first.get();
    }
    MetaResponse response = execute(request);
    records.replay(callRecord(id, user, response));
    return response;
  }

  private static boolean isMalformed(CallIdProto id) {
    return id.getClientId().size() != CLIENT_ID_BYTES;
  }

  @Override
  public Optional<MetaResponse> recall(MetaRequest request, long ageMillis) {
    CallIdProto id = request.getCallId();
    Optional<MetaResponse> first = records.calls().find(id, request.getCaller().getUser());
    if (first.isPresent()) {
      onRepeatedCall.run();
      return first;
    }
    boolean forgotten = records.calls().mayHaveForgotten(ageMillis, request.getTimeMillis());
    return forgotten && !isMalformed(id)
        ? Optional.of(outcomeUnknown(request, ageMillis))
        : Optional.empty();
  }

  private static MetaResponse outcomeUnknown(MetaRequest request, long ageMillis) {
    CallIdProto id = request.getCallId();
    return Refusals.response(
        ErrorCode.OUTCOME_UNKNOWN,
        ("not done again, as an earlier try may have done it and its answer is kept no more: op=%s,"
                + " client=%s, call=%d, firstTryMillisAgo=%s; look whether it happened, and call"
                + " anew if not")
            .formatted(
                request.getOpCase(),
                HexFormat.of().formatHex(id.getClientId().toByteArray()),
                id.getCall(),
                Long.toUnsignedString(ageMillis)));
  }

  private void advanceClock(long timeMillis) {
    LogClock next = records.clock().at(timeMillis);
    if (!next.equals(records.clock())) {
      records.replay(MetaRecord.newBuilder().setClock(next.toRecord()).build());
    }
  }

  private MetaRecord callRecord(CallIdProto id, String user, MetaResponse response) {
    return MetaRecord.newBuilder()
        .setCall(
            CallRecord.newBuilder()
                .setClientId(id.getClientId())
                .setCall(id.getCall())
                .setUser(user)
                .setTimeMillis(records.clock().ageMillis())
                .setResponse(response.toByteString()))
        .build();
  }

  private MetaResponse execute(MetaRequest request) {
    if (request.hasLedger()) {
      MetaRequest timed = request.toBuilder().setTimeMillis(records.clock().ageMillis()).build();
      return ledgers.apply(timed, settings);
    }
    Optional<Operation> operation = operations.find(request.getOpCase());
    if (operation.isEmpty()) {
      return refusedKind("mutation", request);
    }
    Outcome outcome = decide(operation.get(), request);
    outcome.records().forEach(records::replay);
    return outcome.response();
  }

  private Outcome decide(Operation operation, MetaRequest request) {
    try {
      MetaContext context = context(request);
      Changes changes = new Changes(context);
      MetaResponse response = operation.decide(request, context, changes);
      changes.settleQuotas();
      changes.boundDeletions();
      return new Outcome(response, changes.records());
    } catch (VdfsException e) {
      return new Outcome(Refusals.response(e), List.of());
    } catch (RuntimeException e) {
      return new Outcome(defect(request, e), List.of());
    }
  }

  @Override
  public MetaResponse query(MetaRequest request) {
    if (request.hasLedgerQuery()) {
      return ledgers.query(request);
    }
    Optional<Query> query = queries.find(request.getOpCase());
    if (query.isEmpty()) {
      return refusedKind("query", request);
    }
    try {
      return query.get().answer(request, context(request));
    } catch (VdfsException e) {
      return Refusals.response(e);
    } catch (RuntimeException e) {
      return defect(request, e);
    }
  }

  private MetaContext context(MetaRequest request) throws VdfsException {
    return new MetaContext(
        records.namespace(),
        records.deletions(),
        records.cluster(),
        records.ring(),
        settings,
        Access.of(request.getCaller()),
        records.clock().latestMillis());
  }

  private static MetaResponse refusedKind(String expected, MetaRequest request) {
    return Refusals.response(
        ErrorCode.INVALID_ARGUMENT,
        "request is no " + expected + " of the metadata: request=" + request.getOpCase());
  }

  /**
   * Nothing has changed yet on any replica: refusing the request keeps a defect in one operation
   * from stopping all replicas at the same entry for good.
   */
  private static MetaResponse defect(MetaRequest request, RuntimeException e) {
    LOG.error("defect in the metadata: request={}", request.getOpCase(), e);
    return Refusals.response(
        ErrorCode.INTERNAL,
        "defect in the metadata: request=%s, exception=%s"
            .formatted(request.getOpCase(), e.getClass().getName()));
  }

  @Override
  public FeatureLevels levels() {
    return levels;
  }

  @Override
  public int level() {
    return records.level();
  }

  @Override
  public Image image() {
    SnapshotHeader header = header();
    int level = records.level();
    MetadataRecords.Image image = records.image();
    List<ByteString> ledgerRecords = new ArrayList<>();
    try {
      ledgers.save(ledgerRecords::add);
    } catch (IOException e) {
      throw new UncheckedIOException("memory can't fail", e);
    }
    return out -> {
      SnapshotWriter writer = new SnapshotWriter(out, level);
      writer.write(MetaRecord.newBuilder().setHeader(header).build());
      image.write(writer);
      for (ByteString record : ledgerRecords) {
        writer.write(MetaRecord.newBuilder().setLedger(record).build());
      }
      writer.finish();
    };
  }

  /**
   * {@inheritDoc}
   *
   * <p>{@code in} is read to its end. Also throws MISCONFIGURED if the snapshot is of a cluster
   * with another geometry.
   */
  @Override
  public void load(InputStream in) throws IOException {
    SnapshotReader reader = new SnapshotReader(in, levels);
    MetadataRecords loaded = new MetadataRecords(settings);
    ledgers.clear();
    SnapshotHeader header = reader.next().orElse(MetaRecord.getDefaultInstance()).getHeader();
    try {
      for (Optional<MetaRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
        MetaRecord record = next.get();
        if (record.hasLedger()) {
          ledgers.load(record.getLedger());
        } else {
          loaded.replay(record);
        }
      }
    } catch (RuntimeException e) {
      throw new VdfsException(ErrorCode.CORRUPT, "snapshot has an impossible record", e);
    }
    if (loaded.namespace().root() == null) {
      throw new VdfsException(ErrorCode.CORRUPT, "snapshot has no root directory");
    }
    checkHeader(header);
    loaded.onLoaded();
    records = loaded;
  }

  private SnapshotHeader header() {
    ClusterGeometry geometry = settings.geometry();
    return SnapshotHeader.newBuilder()
        .setBlockSize(geometry.blockSize())
        .setGroupBlocks(geometry.groupBlocks())
        .setChunkSize(geometry.chunkSize())
        .setArcs(geometry.arcs())
        .build();
  }

  private void checkHeader(SnapshotHeader found) throws VdfsException {
    if (!found.equals(header())) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("snapshot is of a cluster with another geometry: blockSize=%s, groupBlocks=%s,"
                  + " chunkSize=%s, arcs=%s, configured=%s")
              .formatted(
                  found.getBlockSize(),
                  found.getGroupBlocks(),
                  found.getChunkSize(),
                  found.getArcs(),
                  settings.geometry()));
    }
  }
}

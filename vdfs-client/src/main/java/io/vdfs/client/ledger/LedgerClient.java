package io.vdfs.client.ledger;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterSnapshot;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.CreateStreamChunkResult;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.ListStreamsQuery;
import io.vdfs.common.wire.proto.ListStreamsResult;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.ReleaseStreamResult;
import io.vdfs.common.wire.proto.RenewStreamOp;
import io.vdfs.common.wire.proto.RenewStreamResult;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.SealStreamResult;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamStatusResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledgers of logical splits: which task owns which blocks of a job's input. All calls may be
 * repeated: the answer is the first one's. An unknown stream is NOT_FOUND, never a fresh one.
 *
 * <p>Thread-safe.
 */
public final class LedgerClient {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerClient.class);

  /** How long a local node that failed is left alone. */
  private static final Duration LOCAL_REST = Duration.ofSeconds(10);

  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ControlCalls calls;
  private final LocalNode local;
  private final RetryClock clock;
  private volatile Long localFailedNanos;

  public LedgerClient(
      MetadataCalls metadata,
      ClusterAccess cluster,
      ControlCalls calls,
      LocalNode local,
      RetryClock clock) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.calls = calls;
    this.local = local;
    this.clock = clock;
  }

  public CreateStreamChunkResult createChunk(CreateStreamChunkOp chunk) throws IOException {
    return change(LedgerRequest.newBuilder().setCreateChunk(chunk).build()).getCreateChunk();
  }

  public SealStreamResult seal(SealStreamOp seal) throws IOException {
    return change(LedgerRequest.newBuilder().setSeal(seal).build()).getSeal();
  }

  public CloseTaskResult closeTask(CloseTaskOp close) throws IOException {
    return change(LedgerRequest.newBuilder().setCloseTask(close).build()).getCloseTask();
  }

  public RenewStreamResult renew(RenewStreamOp renew) throws IOException {
    return change(LedgerRequest.newBuilder().setRenew(renew).build()).getRenew();
  }

  public ReleaseStreamResult release(ReleaseStreamOp release) throws IOException {
    return change(LedgerRequest.newBuilder().setRelease(release).build()).getRelease();
  }

  public StreamStatusResult status(StreamStatusQuery status) throws IOException {
    return query(LedgerQuery.newBuilder().setStatus(status).build()).getStatus();
  }

  public AuditStreamResult audit(AuditStreamQuery audit) throws IOException {
    return query(LedgerQuery.newBuilder().setAudit(audit).build()).getAudit();
  }

  /**
   * The streams that the user may see, in the order of their ids: its own, a superuser all. One
   * that comes or goes meanwhile may be among them or not.
   *
   * @param ended whether to tell of those, too, of which all tasks have ended
   * @throws VdfsException UNSUPPORTED if the leader's release does not tell
   */
  public List<ListedStream> list(boolean ended) throws IOException {
    List<ListedStream> streams = new ArrayList<>();
    ByteString last = ByteString.EMPTY;
    boolean more = true;
    while (more) {
      ListStreamsQuery page = ListStreamsQuery.newBuilder().setAfter(last).setEnded(ended).build();
      ListStreamsResult answer = query(LedgerQuery.newBuilder().setList(page).build()).getList();
      for (ListedStream stream : answer.getStreamsList()) {
        last = checkRises(last, stream.getStreamId());
        streams.add(stream);
      }
      more = answer.getMore();
      if (more && answer.getStreamsCount() == 0) {
        throw new VdfsException(ErrorCode.INTERNAL, "a page without streams is not the last one");
      }
    }
    return streams;
  }

  /** Pages that do not would never end. */
  private static ByteString checkRises(ByteString last, ByteString next) throws VdfsException {
    if (ByteString.unsignedLexicographicalComparator().compare(last, next) >= 0) {
      throw new VdfsException(ErrorCode.INTERNAL, "streams do not come in the order of their ids");
    }
    return next;
  }

  /** The live DataNode on this machine. */
  public Optional<NodeId> localNode() throws IOException {
    return local.find(cluster.current());
  }

  /**
   * The run at a position of a task's list. Asks the stream manager on this machine, which knows
   * what it holds in memory; where there is none or it doesn't answer, the leader. Before it asks
   * one again that failed, it looks whether the cluster still counts that one among the living: in
   * the name of a dead node nothing is drawn for longer than the cluster takes to give it up.
   *
   * @param next its {@code node} is filled in here
   */
  public NextRunResult next(NextRunOp next) throws IOException {
    ClusterSnapshot snapshot = cluster.current();
    if (localFailedNanos != null && !localRests()) {
      snapshot = cluster.refresh(snapshot);
      localFailedNanos = null;
    }
    Optional<NodeId> here = local.find(snapshot);
    NextRunOp.Builder asked = next.toBuilder();
    here.ifPresent(node -> asked.setNode(WireIds.encode(node)));
    LedgerRequest request = LedgerRequest.newBuilder().setNext(asked).build();
    Optional<ControlAddress> address = here.flatMap(snapshot::address);
    if (address.isPresent() && !localRests()) {
      try {
        return nextAt(address.get(), request);
      } catch (VdfsException e) {
        if (!isPassing(e.code())) {
          throw e;
        }
        LOG.info("the node on this machine gives no runs; the leader is asked for a while", e);
        localFailedNanos = clock.nanoTime();
      }
    }
    asked.clearWaitedMillis();
    return change(LedgerRequest.newBuilder().setNext(asked).build()).getNext();
  }

  private boolean localRests() {
    Long failed = localFailedNanos;
    return failed != null && clock.nanoTime() - failed < LOCAL_REST.toNanos();
  }

  private NextRunResult nextAt(ControlAddress node, LedgerRequest request) throws IOException {
    byte[] answer = calls.call(node, ControlMethods.STREAM_NEXT, request.toByteArray());
    MetaResponse response;
    try {
      response = MetaResponse.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.INTERNAL, "answer can't be read: node=" + node, e);
    }
    NextRunResult result = Errors.check(response).getLedger().getNext();
    if (result.getOutcomeCase() == NextRunResult.OutcomeCase.OUTCOME_NOT_SET) {
      throw new VdfsException(ErrorCode.INTERNAL, "answer without an outcome: node=" + node);
    }
    return result;
  }

  private static boolean isPassing(ErrorCode code) {
    return switch (code) {
      case UNAVAILABLE, NOT_LEADER, STALE_RING, IO_ERROR, UNSUPPORTED -> true;
      default -> false;
    };
  }

  private LedgerResponse change(LedgerRequest request) throws IOException {
    return metadata.call(MetaRequest.newBuilder().setLedger(request).build()).getLedger();
  }

  private LedgerResponse query(LedgerQuery query) throws IOException {
    return metadata.call(MetaRequest.newBuilder().setLedgerQuery(query).build()).getLedger();
  }
}

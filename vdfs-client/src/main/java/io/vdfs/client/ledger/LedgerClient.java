package io.vdfs.client.ledger;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.ListStreamsQuery;
import io.vdfs.common.wire.proto.ListStreamsResult;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.RenewStreamOp;
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

  /** How long a local node that failed is not asked. */
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

  /** Writes the input of a job into the ledger; when this returns, its tasks may draw. */
  public void create(StreamPlan plan) throws IOException {
    for (CreateStreamChunkOp chunk : new StreamChunks(plan).requests()) {
      change(LedgerRequest.newBuilder().setCreateChunk(chunk).build());
    }
    change(LedgerRequest.newBuilder().setSeal(LedgerMessages.seal(plan)).build());
  }

  /**
   * Ends the list of a task while there are blocks left.
   *
   * @return false if the task is the last one that may draw: it must go on
   */
  public boolean closeTask(StreamTask task) throws IOException {
    CloseTaskOp close = LedgerMessages.close(task);
    return change(LedgerRequest.newBuilder().setCloseTask(close).build())
        .getCloseTask()
        .getClosed();
  }

  /**
   * Ends the list of a task whose mapper wants no more records, when its attempt commits.
   *
   * @throws VdfsException if what the attempt processed is not the beginning of the list
   */
  public void stopTask(StoppedTask stopped) throws IOException {
    CloseTaskOp close = LedgerMessages.stop(stopped);
    change(LedgerRequest.newBuilder().setCloseTask(close).build());
  }

  /** The job's master runs, and is about to ask for containers for its tasks. */
  public void begin(StreamId stream) throws IOException {
    renew(RenewStreamOp.newBuilder().setBegins(true), stream);
  }

  /** Keeps the stream for another while. */
  public void renew(StreamId stream) throws IOException {
    renew(RenewStreamOp.newBuilder(), stream);
  }

  private void renew(RenewStreamOp.Builder renew, StreamId stream) throws IOException {
    renew.setStreamId(LedgerMessages.encode(stream));
    change(LedgerRequest.newBuilder().setRenew(renew).build());
  }

  /** Forgets the stream; does nothing if it is not there any more. */
  public void release(StreamId stream) throws IOException {
    ReleaseStreamOp release =
        ReleaseStreamOp.newBuilder().setStreamId(LedgerMessages.encode(stream)).build();
    change(LedgerRequest.newBuilder().setRelease(release).build());
  }

  /** The stream as its ledger describes it. */
  public StreamStatus status(StreamId stream) throws IOException {
    return LedgerMessages.status(ask(StreamStatusQuery.newBuilder(), stream));
  }

  /** How many blocks of the stream no task owns. */
  public long remainingBlocks(StreamId stream) throws IOException {
    return ask(StreamStatusQuery.newBuilder().setTotalsOnly(true), stream).getRemainingBlocks();
  }

  private StreamStatusResult ask(StreamStatusQuery.Builder status, StreamId stream)
      throws IOException {
    status.setStreamId(LedgerMessages.encode(stream));
    return query(LedgerQuery.newBuilder().setStatus(status).build()).getStatus();
  }

  /**
   * Proves that each block of the stream was processed once, by tasks that are marked as finished
   * or as stopped.
   *
   * @throws VdfsException if it was not, or some task has not ended
   */
  public AuditedInput audit(StreamId stream) throws IOException {
    AuditStreamQuery audit =
        AuditStreamQuery.newBuilder()
            .setStreamId(LedgerMessages.encode(stream))
            .setByFinishedMarks(true)
            .build();
    return LedgerMessages.audit(query(LedgerQuery.newBuilder().setAudit(audit).build()).getAudit());
  }

  /**
   * The streams that the user may see, in the order of their ids: the user's own, or all for a
   * superuser. A stream that comes or goes meanwhile may be among them or not.
   *
   * @param ended whether to list streams, too, all of whose tasks have ended
   * @throws VdfsException UNSUPPORTED if the leader's release does not tell
   */
  public List<StreamOverview> list(boolean ended) throws IOException {
    List<StreamOverview> streams = new ArrayList<>();
    ByteString last = ByteString.EMPTY;
    boolean more = true;
    while (more) {
      ListStreamsQuery page = ListStreamsQuery.newBuilder().setAfter(last).setEnded(ended).build();
      ListStreamsResult answer = query(LedgerQuery.newBuilder().setList(page).build()).getList();
      for (ListedStream stream : answer.getStreamsList()) {
        last = checkRises(last, stream.getStreamId());
        streams.add(LedgerMessages.overview(stream));
      }
      more = answer.getMore();
      if (more && answer.getStreamsCount() == 0) {
        throw new VdfsException(ErrorCode.INTERNAL, "a page without streams is not the last one");
      }
    }
    return streams;
  }

  /** Pages whose ids do not rise would never end. */
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
   * The runs from a position of a task's list on. Asks the stream manager on this machine, which
   * knows what it holds in memory; where there is none or it doesn't answer, the leader. Before it
   * asks a manager again that failed, it checks whether the cluster still counts that node as live,
   * so that nothing is drawn in the name of a dead node for longer than the cluster takes to give
   * it up.
   */
  public RunAnswer next(RunQuestion question) throws IOException {
    ClusterDescription snapshot = cluster.current();
    if (localFailedNanos != null && !localRests()) {
      snapshot = cluster.refresh(snapshot);
      localFailedNanos = null;
    }
    Optional<NodeId> here = local.find(snapshot);
    NextRunOp asked = LedgerMessages.next(question, here);
    Optional<ControlAddress> address = here.flatMap(snapshot::address);
    if (address.isPresent() && !localRests()) {
      try {
        return nextAt(address.get(), LedgerRequest.newBuilder().setNext(asked).build());
      } catch (VdfsException e) {
        if (!isPassing(e.code())) {
          throw e;
        }
        LOG.info("the node on this machine gives no runs; the leader is asked for a while", e);
        localFailedNanos = clock.nanoTime();
      }
    }
    NextRunOp.Builder withoutWait = asked.toBuilder().clearWaitedMillis();
    return LedgerMessages.answer(
        change(LedgerRequest.newBuilder().setNext(withoutWait).build()).getNext());
  }

  private boolean localRests() {
    Long failed = localFailedNanos;
    return failed != null && clock.nanoTime() - failed < LOCAL_REST.toNanos();
  }

  private RunAnswer nextAt(ControlAddress node, LedgerRequest request) throws IOException {
    byte[] answer = calls.call(node, ControlMethods.STREAM_NEXT, request.toByteArray());
    MetaResponse response;
    try {
      response = MetaResponse.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.INTERNAL, "answer can't be read: node=" + node, e);
    }
    return LedgerMessages.answer(Errors.check(response).getLedger().getNext());
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

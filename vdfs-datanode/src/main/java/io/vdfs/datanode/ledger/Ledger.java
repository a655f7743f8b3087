package io.vdfs.datanode.ledger;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.datanode.ledger.draw.LastToFinishStealPolicy;
import io.vdfs.datanode.ledger.draw.StealPolicy;
import io.vdfs.datanode.ledger.op.LedgerChanges;
import io.vdfs.datanode.ledger.op.LedgerContext;
import io.vdfs.datanode.ledger.op.LedgerOperation;
import io.vdfs.datanode.ledger.op.LedgerOperations;
import io.vdfs.datanode.ledger.op.LedgerOutcome;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.query.StreamAudit;
import io.vdfs.datanode.ledger.query.StreamListing;
import io.vdfs.datanode.ledger.query.StreamStatusReport;
import io.vdfs.datanode.ledger.state.Caller;
import io.vdfs.datanode.ledger.state.StreamReplay;
import io.vdfs.datanode.ledger.state.StreamSnapshot;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import java.util.function.Consumer;

/**
 * Gives every block of a job's input to exactly one task, and the same blocks in the same order to
 * all attempts of that task. The host, a replicated state machine, calls {@link #execute}, makes
 * the outcome durable, calls {@link #replay} for each of its records in order and only then lets
 * the response out. Execution is a function of state and arguments alone, so that each replica may
 * also run it for itself.
 *
 * <p>Confined to the loop of its host.
 */
public final class Ledger {
  private final StreamTable streams = new StreamTable();
  private final StreamReplay replay = new StreamReplay(streams);
  private final LedgerOperations operations;

  /** A ledger that steals from the node that would finish last, neighbours first. */
  public Ledger() {
    this(new LastToFinishStealPolicy());
  }

  /**
   * @param stealPolicy the same on all replicas
   */
  public Ledger(StealPolicy stealPolicy) {
    this.operations = new LedgerOperations(stealPolicy);
  }

  /**
   * Decides on a mutation; changes nothing. An outcome without records needs no log entry: lists
   * only grow at their end and pools only shrink, so a run or an END read from any replica, however
   * far behind, stays true. Errors may be due to a replica's lag: only the leader's count.
   *
   * @param timeMillis time of the request, the same on all replicas
   * @param bounds of streams that are created and of draws, the same on all replicas
   * @throws VdfsException NOT_FOUND for an unknown stream, PERMISSION_DENIED for another user's,
   *     INVALID_ARGUMENT for a call that can never work, QUOTA_EXCEEDED for a user whose streams
   *     are too many or too large, CORRUPT for an attempt that processed something else than its
   *     task's list
   */
  public LedgerOutcome execute(
      LedgerRequest request, Caller caller, long timeMillis, StreamBounds bounds)
      throws VdfsException {
    LedgerOperation operation =
        operations.find(request.getOpCase()).orElseThrow(() -> unsupported("ledger request"));
    LedgerChanges changes = new LedgerChanges();
    LedgerResponse response =
        operation.decide(request, new LedgerContext(streams, caller, timeMillis, bounds), changes);
    return new LedgerOutcome(changes.records(), response);
  }

  /**
   * Answers a question about the state; takes time linear in the sizes of the stream and of the
   * question, except for the totals of a stream, which are kept, and the list of streams, which
   * comes page by page.
   *
   * @throws VdfsException as {@link #execute}; CORRUPT if an audit finds a difference
   */
  public LedgerResponse query(LedgerQuery query, Caller caller) throws VdfsException {
    LedgerResponse.Builder response = LedgerResponse.newBuilder();
    switch (query.getQueryCase()) {
      case STATUS -> {
        StreamState stream = streams.require(query.getStatus().getStreamId(), caller);
        response.setStatus(
            query.getStatus().getTotalsOnly()
                ? StreamStatusReport.totals(stream)
                : StreamStatusReport.tasks(stream));
      }
      case AUDIT -> {
        StreamState stream = streams.requireSealed(query.getAudit().getStreamId(), caller);
        response.setAudit(new StreamAudit(stream).run(query.getAudit()));
      }
      case LIST -> response.setList(StreamListing.page(streams, query.getList(), caller));
      case QUERY_NOT_SET -> throw unsupported("ledger query");
    }
    return response.build();
  }

  /**
   * Applies a record of an outcome or of a snapshot.
   *
   * @throws IllegalStateException if it does not fit the state: this replica must stop
   */
  public void replay(LedgerRecord record) {
    replay.replay(record);
  }

  /**
   * Writes the whole state as records for {@link #replay} on an empty ledger. Equal states write
   * equal records in equal order.
   */
  public void snapshot(Consumer<LedgerRecord> sink) {
    for (StreamState stream : streams.all()) {
      new StreamSnapshot(stream, sink).write();
    }
  }

  /** Whether an expire request at {@code timeMillis} would drop a stream. */
  public boolean hasExpired(long timeMillis) {
    return streams.all().stream().anyMatch(stream -> stream.expiresMillis() <= timeMillis);
  }

  /** Number of streams, sealed or not. */
  public int streamCount() {
    return streams.all().size();
  }

  private static VdfsException unsupported(String what) {
    return new VdfsException(
        ErrorCode.UNSUPPORTED, what + " without a known operation: is the client newer?");
  }
}

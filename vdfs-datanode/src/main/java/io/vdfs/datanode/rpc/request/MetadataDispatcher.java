package io.vdfs.datanode.rpc.request;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.WriteTicketProto;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.level.RequestCatalogue;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.state.LeaseHolder;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Takes metadata requests to the part of this node that answers them: the log, the state, or the
 * leader's services. Thread-safe; futures never fail.
 */
public final class MetadataDispatcher implements LeaderCalls {
  private final GroupMember member;
  private final RequestPreparer preparer;
  private final LeaderServices services;
  private final Callers callers;
  private final CallIds callIds;
  private final RequestMeter meter;
  private final WriteTickets tickets;
  private final BooleanSupplier founded;

  /**
   * @param callIds of this process
   * @param meter counts what is answered here
   * @param tickets gives tickets their proofs, as answers leave
   * @param founded whether it is on record that the group had a leader: until then members begin
   *     with an empty log, so that nothing may be promised
   */
  public MetadataDispatcher(
      GroupMember member,
      RequestPreparer preparer,
      LeaderServices services,
      Callers callers,
      CallIds callIds,
      RequestMeter meter,
      WriteTickets tickets,
      BooleanSupplier founded) {
    this.member = member;
    this.preparer = preparer;
    this.services = services;
    this.callers = callers;
    this.callIds = callIds;
    this.meter = meter;
    this.tickets = tickets;
    this.founded = founded;
  }

  @Override
  public CompletableFuture<MetaResponse> call(MetaRequest request) {
    return dispatchOfNode(callIds.identify(request), callers.self());
  }

  @Override
  public CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller) {
    return dispatchOfNode(callIds.identify(request), caller);
  }

  /** The leader as far as this node's member knows. */
  public Optional<NodeId> leader() {
    return member.leader();
  }

  public boolean isLeader() {
    return member.isLeader();
  }

  /**
   * Answers a request of {@code caller}; what the request itself says of its caller does not count,
   * and its time says how long ago its first try was sent.
   */
  public CompletableFuture<MetaResponse> dispatch(MetaRequest request, CallerProto caller) {
    return measured(request, caller, false);
  }

  /**
   * As {@link #dispatch}, for a node of this cluster, in its own name or in that of another caller.
   */
  public CompletableFuture<MetaResponse> dispatchOfNode(MetaRequest request, CallerProto caller) {
    return measured(request, caller, true);
  }

  private CompletableFuture<MetaResponse> measured(
      MetaRequest request, CallerProto caller, boolean ofNode) {
    return meter.measured(request, meter.start(), answer(request, caller, ofNode));
  }

  private CompletableFuture<MetaResponse> answer(
      MetaRequest request, CallerProto caller, boolean ofNode) {
    try {
      if (RequestCatalogue.isByNodes(request) && !(ofNode && caller.getSuperuser())) {
        throw new VdfsException(
            ErrorCode.PERMISSION_DENIED,
            "only a node may do this, in its own name: op=%s, user=%s"
                .formatted(request.getOpCase(), caller.getUser()));
      }
      MetaRequest prepared = preparer.prepare(request, caller);
      return switch (RequestCatalogue.kind(request)) {
        case MUTATION -> {
          requireFounded();
          yield isRepeated(request, prepared)
              ? again(request, prepared, ofNode)
              : carryOut(prepared);
        }
        case QUERY -> member.query(prepared);
        case SOFT -> soft(prepared);
        case RESERVED ->
            throw new VdfsException(
                ErrorCode.UNSUPPORTED,
                "only a metadata member itself does this: op=" + request.getOpCase());
        case NO_REQUEST, UNRECOGNIZED ->
            throw new VdfsException(
                ErrorCode.UNSUPPORTED, "this release doesn't know the metadata request");
      };
    } catch (VdfsException e) {
      return CompletableFuture.completedFuture(Errors.response(e));
    }
  }

  private void requireFounded() throws VdfsException {
    if (member.isLeader() && !founded.getAsBoolean()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "the metadata group is being founded: ZooKeeper does not show yet that it has a leader");
    }
  }

  /**
   * Not without a call id, which what may happen twice has lost when it was prepared. Nor where a
   * writer reports its progress, which only raises what is recorded for its own epoch.
   */
  private static boolean isRepeated(MetaRequest request, MetaRequest prepared) {
    return request.getTimeMillis() != 0 && prepared.hasCallId() && !request.hasRecordProgress();
  }

  /**
   * Has what was sent before happen only if it is certain that it did not. It is then prepared
   * anew: entries are to stand in the log in the order of their times, or nearly so.
   */
  private CompletableFuture<MetaResponse> again(
      MetaRequest request, MetaRequest prepared, boolean ofNode) {
    MetaRequest asFirst = request.toBuilder().clearTimeMillis().build();
    return member
        .recall(prepared, request.getTimeMillis())
        .thenCompose(
            told ->
                told.isPresent()
                    ? answered(prepared, CompletableFuture.completedFuture(told.get()))
                    : answer(asFirst, prepared.getCaller(), ofNode));
  }

  private CompletableFuture<MetaResponse> carryOut(MetaRequest prepared) {
    return isDecision(prepared) ? decide(prepared) : submit(prepared);
  }

  private CompletableFuture<MetaResponse> submit(MetaRequest request) {
    return answered(request, member.submit(request));
  }

  private CompletableFuture<MetaResponse> answered(
      MetaRequest request, CompletableFuture<MetaResponse> ofState) {
    CompletableFuture<MetaResponse> answer = ofState.thenApply(this::withProof);
    ByteString holder = holder(request);
    String wanted = pathToWrite(request);
    return holder.isEmpty()
        ? answer
        : answer.thenApply(
            response -> {
              if (!response.hasError()) {
                services.onSignOfLife(new LeaseHolder(holder, request.getCaller().getUser()));
              } else if (isConflict(response) && !wanted.isEmpty()) {
                services.onLeaseConflict(wanted);
              }
              return response;
            });
  }

  /** The holder in a request that succeeds only for a holder of a lease, or gives it one. */
  private static ByteString holder(MetaRequest request) {
    return switch (request.getOpCase()) {
      case CREATE -> request.getCreate().getHolder();
      case APPEND -> request.getAppend().getHolder();
      case CHANGE_PIPELINE -> request.getChangePipeline().getHolder();
      case RECORD_PROGRESS -> request.getRecordProgress().getHolder();
      default -> ByteString.EMPTY;
    };
  }

  /**
   * Adds to a ticket the proof that makes it count. The state leaves that out, also in what it
   * keeps for repeated calls, so that no member needs the same key for the same state.
   */
  private MetaResponse withProof(MetaResponse response) {
    OpenFileResult opened = response.getOpenFile();
    if (!opened.hasTicket()) {
      return response;
    }
    StatusProto status = opened.getStatus();
    WriteTicketProto proved =
        tickets.issue(
            new FileKey(status.getInodeId(), status.getGeneration()),
            status.getWriteEpoch(),
            opened.getTicket().getLastDeletion());
    return response.toBuilder().setOpenFile(opened.toBuilder().setTicket(proved)).build();
  }

  private static String pathToWrite(MetaRequest request) {
    return switch (request.getOpCase()) {
      case CREATE -> request.getCreate().getPath();
      case APPEND -> request.getAppend().getPath();
      default -> "";
    };
  }

  private static boolean isConflict(MetaResponse response) {
    return response.hasError()
        && WireIds.errorCode(response.getError()) == ErrorCode.LEASE_CONFLICT;
  }

  private static boolean isDecision(MetaRequest request) {
    return request.hasMarkNodes() || request.hasWeighNodes() || request.hasGiveUpVolumes();
  }

  /** Logs only decisions that suit the nodes alive, which only the leader's services see. */
  private CompletableFuture<MetaResponse> decide(MetaRequest request) {
    return member.isLeader()
        ? services
            .checkDecision(request)
            .thenCompose(
                answer ->
                    answer.hasError() ? CompletableFuture.completedFuture(answer) : submit(request))
        : notLeader();
  }

  private CompletableFuture<MetaResponse> notLeader() {
    return CompletableFuture.completedFuture(
        Errors.notLeader(member.leader(), "not the leader: leader=" + member.leader()));
  }

  private CompletableFuture<MetaResponse> soft(MetaRequest request) {
    if (!member.isLeader()) {
      return notLeader();
    }
    return switch (request.getOpCase()) {
      case RECOVER_LEASE -> services.recoverLease(request.getRecoverLease(), request.getCaller());
      case WAITING_RECOVERIES -> services.waitingRecoveries(request.getCaller());
      case CONFIRM_HOLDINGS -> services.confirmHoldings(request.getConfirmHoldings());
      case REPAIR_REPORT -> services.repairReport();
      default -> services.renewLease(request.getRenewLease(), request.getCaller());
    };
  }
}

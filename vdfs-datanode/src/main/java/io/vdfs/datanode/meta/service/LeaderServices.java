package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ConfirmHoldingsCall;
import io.vdfs.common.wire.proto.ConfirmHoldingsResult;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.loop.Futures;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.service.edge.LeadershipListener;
import io.vdfs.datanode.meta.service.ring.DecisionCheck;
import io.vdfs.datanode.meta.service.ring.RepairReport;
import io.vdfs.datanode.meta.service.ring.RingKeeper;
import io.vdfs.datanode.meta.state.LeaseHolder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The leader's soft state and background work, alive while this node leads. Thread-safe: everything
 * is handed to the service loop.
 */
public final class LeaderServices implements LeadershipListener {
  /** Files whose length one renewal may tell. */
  private static final int MOST_FLUSHED = 4096;

  private final LeaderSurroundings around;
  private final ServiceLoop loop;

  private LeaderCalls calls; // confined to the loop; null until attached
  private boolean leading; // confined to the loop
  private long raftTerm; // confined to the loop
  private LeaderTerm term; // confined to the loop; null unless leading

  public LeaderServices(LeaderSurroundings around, ServiceLoop loop) {
    this.around = around;
    this.loop = loop;
  }

  /**
   * Gives the services their way to the metadata, which exists only after the member that tells
   * them of its leadership.
   */
  public void attach(LeaderCalls leaderCalls) {
    loop.execute(
        () -> {
          calls = leaderCalls;
          beginIfPossible();
        });
  }

  @Override
  public void onLeader(long newTerm) {
    loop.execute(
        () -> {
          leading = true;
          raftTerm = newTerm;
          beginIfPossible();
        });
  }

  private void beginIfPossible() {
    if (leading && calls != null && term == null) {
      term = new LeaderTerm(around, calls, loop, raftTerm);
    }
  }

  @Override
  public void onFollower() {
    loop.execute(
        () -> {
          leading = false;
          if (term != null) {
            term.end();
            term = null;
            around.flushed().clear();
          }
        });
  }

  /**
   * A writer shows that it is alive, and tells how much of its files others can see. Nothing is
   * kept of what a caller without a lease says.
   */
  public CompletableFuture<MetaResponse> renewLease(RenewLeaseCall call, CallerProto caller) {
    if (call.getHolder().size() != WireIds.ID_BYTES) {
      return CompletableFuture.completedFuture(
          Errors.response(
              ErrorCode.INVALID_ARGUMENT,
              "a holder has %d bytes: holder=%d"
                  .formatted(WireIds.ID_BYTES, call.getHolder().size())));
    }
    if (call.getFlushedCount() > MOST_FLUSHED) {
      return CompletableFuture.completedFuture(
          Errors.response(
              ErrorCode.INVALID_ARGUMENT,
              "too many files in a renewal: files=%d, limit=%d"
                  .formatted(call.getFlushedCount(), MOST_FLUSHED)));
    }
    Map<Long, Long> lengths = new HashMap<>();
    call.getFlushedList().forEach(file -> lengths.put(file.getFileId(), file.getLength()));
    LeaseHolder holder = new LeaseHolder(call.getHolder(), caller.getUser());
    onTerm(
        current -> {
          if (current.monitor().onRenewal(holder)) {
            around.flushed().put(holder, lengths);
          }
        });
    return CompletableFuture.completedFuture(
        MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build());
  }

  /** A request of a writer was carried out, which proves that it holds a lease. */
  public void onSignOfLife(LeaseHolder holder) {
    onTerm(current -> current.monitor().onSignOfLife(holder));
  }

  /** A request failed because another client writes the file at {@code path}. */
  public void onLeaseConflict(String path) {
    onTerm(
        current -> {
          var unused =
              current
                  .calls()
                  .call(status(path))
                  .thenComposeAsync(
                      response ->
                          response.getStatus().getUnderConstruction()
                              ? current.monitor().onConflict(key(response.getStatus()))
                              : CompletableFuture.<Void>completedFuture(null),
                      loop);
        });
  }

  private void onTerm(Consumer<LeaderTerm> action) {
    loop.execute(
        () -> {
          if (term != null) {
            action.accept(term);
          }
        });
  }

  /**
   * Starts the recovery of a file, however alive its writer is, and waits a moment for the outcome.
   *
   * @return a RecoverLeaseResult, or an error; never fails
   */
  public CompletableFuture<MetaResponse> recoverLease(RecoverLeaseCall call, CallerProto caller) {
    return withTerm(current -> recoverLease(current, call, caller));
  }

  /**
   * The files that lease recovery cannot close now.
   *
   * @return a WaitingRecoveriesResult, which for users other than superusers has their number
   *     alone, or an error; never fails
   */
  public CompletableFuture<MetaResponse> waitingRecoveries(CallerProto caller) {
    return withTerm(
        current -> new WaitingReport(current.calls(), current.recoveries(), loop).make(caller));
  }

  /**
   * A node found that it holds all that it is listed for, or that this may not be so any more. Kept
   * as long as this node leads.
   *
   * @return a ConfirmHoldingsResult, or an error; never fails
   */
  public CompletableFuture<MetaResponse> confirmHoldings(ConfirmHoldingsCall call) {
    NodeId node;
    try {
      node = WireIds.nodeId(call.getNode());
    } catch (VdfsException e) {
      return CompletableFuture.completedFuture(Errors.response(e));
    }
    return withTerm(
        current -> CompletableFuture.supplyAsync(() -> confirm(current.ring(), node, call), loop));
  }

  private static MetaResponse confirm(RingKeeper ring, NodeId node, ConfirmHoldingsCall call) {
    ConfirmHoldingsResult.Builder result = ConfirmHoldingsResult.newBuilder();
    if (call.getRingEpoch() == 0) {
      result.setSeries(ring.beginConfirmations(node));
    } else {
      result.setCounts(ring.confirm(node, call.getSeries(), call.getRingEpoch()));
    }
    return MetaResponse.newBuilder().setConfirmHoldings(result).build();
  }

  /**
   * Whether an operator's decision about nodes suits what this leader sees of them; what is
   * recorded decides besides.
   *
   * @param request that marks or weighs nodes, or gives up volumes
   * @return an EmptyResult, or an error; never fails
   */
  public CompletableFuture<MetaResponse> checkDecision(MetaRequest request) {
    return withTerm(
        current ->
            current
                .ring()
                .recorded()
                .thenApplyAsync(
                    recorded -> {
                      try {
                        new DecisionCheck(
                                current.ring().seen(), recorded, around.keeping().members().get())
                            .check(request);
                        return MetaResponse.newBuilder()
                            .setEmpty(EmptyResult.getDefaultInstance())
                            .build();
                      } catch (VdfsException e) {
                        return Errors.response(e);
                      }
                    },
                    loop));
  }

  /**
   * The state of the cluster's copies.
   *
   * @return a RepairReportResult, or an error; never fails
   */
  public CompletableFuture<MetaResponse> repairReport() {
    return withTerm(
        current ->
            new RepairReport(
                    current.calls(),
                    current.ring(),
                    around.keeping().live().get().orElse(List.of()),
                    around.keeping().members().get(),
                    loop)
                .make());
  }

  private CompletableFuture<MetaResponse> withTerm(
      Function<LeaderTerm, CompletableFuture<MetaResponse>> action) {
    return CompletableFuture.supplyAsync(() -> Optional.ofNullable(term), loop)
        .thenCompose(
            current ->
                current
                    .map(action)
                    .orElseGet(
                        () ->
                            CompletableFuture.completedFuture(
                                Errors.response(
                                    ErrorCode.UNAVAILABLE,
                                    "the leader's services are not running"))));
  }

  private CompletableFuture<MetaResponse> recoverLease(
      LeaderTerm current, RecoverLeaseCall call, CallerProto caller) {
    String path = call.getPath();
    if (call.getAccept() && !caller.getSuperuser()) {
      return CompletableFuture.completedFuture(
          Errors.response(
              ErrorCode.PERMISSION_DENIED,
              "only a superuser may accept fewer copies: path=%s, user=%s"
                  .formatted(path, caller.getUser())));
    }
    return current
        .calls()
        .callAs(status(path), caller)
        .thenComposeAsync(
            response -> {
              StatusProto status = response.getStatus();
              Optional<MetaResponse> refusal = refusal(response, path, caller);
              if (refusal.isPresent()) {
                return CompletableFuture.completedFuture(refusal.get());
              }
              if (!status.getUnderConstruction()) {
                return CompletableFuture.completedFuture(
                    answer(new Recoveries.Ended(true, "the file is closed"), false));
              }
              FileKey file = key(status);
              CompletableFuture<Recoveries.Ended> attempt =
                  current.recoveries().start(file, status.getWriteEpoch(), call.getAccept());
              return Futures.within(around.leases().answer(), attempt, loop)
                  .exceptionally(late -> new Recoveries.Ended(false, "an attempt is under way"))
                  .thenApplyAsync(
                      ended -> answer(ended, current.recoveries().isRunning(file)), loop);
            },
            loop);
  }

  private static Optional<MetaResponse> refusal(
      MetaResponse response, String path, CallerProto caller) {
    if (response.hasError()) {
      return Optional.of(response);
    }
    if (response.getStatus().getDirectory()) {
      return Optional.of(Errors.response(ErrorCode.IS_A_DIRECTORY, "not a file: path=" + path));
    }
    boolean closedAlready = !response.getStatus().getUnderConstruction();
    return closedAlready || response.getStatus().getWritable()
        ? Optional.empty()
        : Optional.of(
            Errors.response(
                ErrorCode.PERMISSION_DENIED,
                "lease recovery needs the right to write: path=%s, user=%s"
                    .formatted(path, caller.getUser())));
  }

  private static MetaResponse answer(Recoveries.Ended ended, boolean running) {
    return MetaResponse.newBuilder()
        .setRecoverLease(
            RecoverLeaseResult.newBuilder()
                .setClosed(ended.over())
                .setRunning(running)
                .setFound(ended.found()))
        .build();
  }

  private static MetaRequest status(String path) {
    return MetaRequest.newBuilder().setGetStatus(GetStatusQuery.newBuilder().setPath(path)).build();
  }

  private static FileKey key(StatusProto status) {
    return new FileKey(status.getInodeId(), status.getGeneration());
  }
}

package io.vdfs.datanode.meta.service;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ExpireStreamsOp;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.service.ring.RingKeeper;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The services of one leadership, from its first to its last moment. Afterwards its requests are
 * refused and its rounds end. Confined to the service loop.
 */
final class LeaderTerm {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderTerm.class);
  private static final Duration RECLAIM_PERIOD = Duration.ofSeconds(2);

  /**
   * Below the longest step of the log's age, so that the age goes on while there are no requests.
   */
  private static final Duration EXPIRY_PERIOD = Duration.ofMinutes(1);

  private static final Duration RING_PERIOD = Duration.ofSeconds(1);

  private final ServiceLoop loop;
  private final LeaderCalls calls;
  private final Recoveries recoveries;
  private final LeaseMonitor monitor;
  private final RingKeeper ring;
  private volatile boolean over;

  LeaderTerm(LeaderSurroundings around, LeaderCalls outer, ServiceLoop loop, long number) {
    this.loop = loop;
    this.calls = new Gate(outer);
    LeaseSettings settings = around.leases();
    this.recoveries =
        new Recoveries(
            new LeaseRecovery(
                calls,
                new RecoverySurroundings(
                    around.probe(),
                    around.ring(),
                    this::holders,
                    around.geometry(),
                    loop,
                    settings.probe())),
            settings,
            loop);
    this.monitor = new LeaseMonitor(calls, recoveries, settings, around.flushed(), loop);
    this.ring = new RingKeeper(calls, around.keeping(), loop, number);
    Reclaimer reclaimer = new Reclaimer(calls, loop);
    repeat("lease scan", settings.scan(), monitor::scan);
    repeat("reclaim", RECLAIM_PERIOD, reclaimer::run);
    repeat("stream expiry", EXPIRY_PERIOD, this::expireStreams);
    repeat("look at the ring", RING_PERIOD, ring::look);
  }

  LeaderCalls calls() {
    return calls;
  }

  Recoveries recoveries() {
    return recoveries;
  }

  LeaseMonitor monitor() {
    return monitor;
  }

  RingKeeper ring() {
    return ring;
  }

  void end() {
    over = true;
    ring.end();
  }

  /** Runs a round, and the next one a period after it has ended, as long as the term lasts. */
  private void repeat(String what, Duration period, Supplier<CompletableFuture<Void>> round) {
    if (over) {
      return;
    }
    var unused =
        round
            .get()
            .whenComplete(
                (done, error) -> {
                  if (error != null) {
                    LOG.warn("{} failed: error={}", what, String.valueOf(Causes.of(error)));
                  }
                  loop.schedule(period, () -> repeat(what, period, round));
                });
  }

  private CompletableFuture<Set<NodeId>> holders() {
    return ring.holders();
  }

  private CompletableFuture<Void> expireStreams() {
    return calls
        .call(
            MetaRequest.newBuilder()
                .setLedger(
                    LedgerRequest.newBuilder().setExpire(ExpireStreamsOp.getDefaultInstance()))
                .build())
        .thenAccept(
            response -> {
              int expired = response.getLedger().getExpire().getStreamIdsCount();
              if (expired > 0) {
                LOG.info("streams expired: count={}", expired);
              }
            });
  }

  /** Lets requests through while the term lasts. */
  private final class Gate implements LeaderCalls {
    private final LeaderCalls outer;

    Gate(LeaderCalls outer) {
      this.outer = outer;
    }

    @Override
    public CompletableFuture<MetaResponse> call(MetaRequest request) {
      return over ? refused() : outer.call(request);
    }

    @Override
    public CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller) {
      return over ? refused() : outer.callAs(request, caller);
    }

    private CompletableFuture<MetaResponse> refused() {
      return CompletableFuture.completedFuture(
          Errors.response(ErrorCode.UNAVAILABLE, "this node's leadership is over"));
    }
  }
}

package io.vdfs.datanode.meta.service;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.ReclaimStatusQuery;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import java.util.concurrent.CompletableFuture;

/**
 * Takes deleted trees apart in small steps, one at a time, so that other requests get in between.
 * Confined to the service loop.
 */
final class Reclaimer {
  /** Inodes of one step. */
  static final int STEP = 1_000;

  private final LeaderCalls calls;
  private final ServiceLoop loop;

  Reclaimer(LeaderCalls calls, ServiceLoop loop) {
    this.calls = calls;
    this.loop = loop;
  }

  /** Takes apart what there is; ends early where a request fails. Logs nothing if idle. */
  CompletableFuture<Void> run() {
    return calls
        .call(
            MetaRequest.newBuilder()
                .setReclaimStatus(ReclaimStatusQuery.getDefaultInstance())
                .build())
        .thenComposeAsync(this::step, loop);
  }

  private CompletableFuture<Void> step(MetaResponse response) {
    if (response.hasError() || response.getReclaim().getPending() == 0) {
      return CompletableFuture.completedFuture(null);
    }
    return calls
        .call(MetaRequest.newBuilder().setReclaim(ReclaimOp.newBuilder().setLimit(STEP)).build())
        .thenComposeAsync(this::step, loop);
  }
}

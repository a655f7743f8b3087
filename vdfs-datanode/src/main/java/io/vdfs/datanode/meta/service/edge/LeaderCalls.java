package io.vdfs.datanode.meta.service.edge;

import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.util.concurrent.CompletableFuture;

/**
 * Requests that the leader makes of the metadata itself. Thread-safe. Futures never fail: errors
 * are in the response, NOT_LEADER among them.
 */
public interface LeaderCalls {
  /** Calls as the daemon's own user, hence a superuser. A mutation gets a fresh call id. */
  CompletableFuture<MetaResponse> call(MetaRequest request);

  /** Calls in the name of a caller. */
  CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller);
}

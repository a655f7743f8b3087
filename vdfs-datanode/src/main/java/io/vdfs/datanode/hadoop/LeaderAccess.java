package io.vdfs.datanode.hadoop;

import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.util.concurrent.CompletableFuture;

/** The way to the metadata. Thread-safe. */
public interface LeaderAccess {
  /** Whether this node leads the metadata, as far as it knows. */
  boolean leads();

  /** Ends within a bounded time and never fails: errors are in the response. */
  CompletableFuture<MetaResponse> call(MetaRequest request, CallerProto caller);
}

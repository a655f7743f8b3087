package io.vdfs.client.meta;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.io.IOException;
import java.util.Map;

/**
 * The metadata service as callers see it: a single one, always there, linearizable. Thread-safe.
 */
@FunctionalInterface
public interface MetadataCalls {
  /**
   * Carries out one request exactly once, whichever node leads.
   *
   * @param request without call id, caller and time
   * @return a response without error
   * @throws io.vdfs.common.error.VdfsException what the service refused; UNAVAILABLE if it could
   *     not be reached in time: a mutation then happened or not, never half
   * @throws java.io.InterruptedIOException if the thread was interrupted; as with UNAVAILABLE
   */
  MetaResponse call(MetaRequest request) throws IOException;

  /** Counters of the calls so far, by name; none if calls are not counted. */
  default Map<String, Long> counters() {
    return Map.of();
  }
}

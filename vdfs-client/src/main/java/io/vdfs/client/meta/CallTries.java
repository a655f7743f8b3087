package io.vdfs.client.meta;

import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.common.wire.proto.MetaRequest;
import java.util.concurrent.TimeUnit;

/**
 * The tries of one call: all have its call id, and each but the first says how long ago that was,
 * so that the leader can tell whether it still knows what became of it. Confined to the calling
 * thread.
 */
final class CallTries {
  private final MetaRequest request;
  private final RetryClock clock;
  private boolean begun;
  private long beginNanos;

  /**
   * @param request with its call id
   */
  CallTries(MetaRequest request, RetryClock clock) {
    this.request = request;
    this.clock = clock;
  }

  /** The request of a try that is about to be sent; its age is rounded up, so that it has one. */
  byte[] next() {
    if (!begun) {
      begun = true;
      beginNanos = clock.nanoTime();
      return request.toByteArray();
    }
    long ageMillis = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - beginNanos) + 1;
    return request.toBuilder().setTimeMillis(ageMillis).build().toByteArray();
  }
}

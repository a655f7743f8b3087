package io.vdfs.datanode.ledger.op;

import io.vdfs.datanode.ledger.state.StreamState;
import java.time.Duration;

/**
 * How long a stream is kept after it was last used. The limits are part of the state machine: were
 * they configurable, replicas could disagree. Pure.
 */
final class Lease {
  /** A job can be re-run, its containers lost and its master restarted long after the last draw. */
  static final Duration SEALED = Duration.ofDays(7);

  /** A client that dies while it creates a stream leaves nothing that any job could use. */
  static final Duration UNSEALED = Duration.ofHours(1);

  private Lease() {}

  /** End of the lease of a stream used now; an earlier use may have promised more. */
  static long expiry(StreamState stream, long timeMillis) {
    return Math.max(stream.expiresMillis(), timeMillis + SEALED.toMillis());
  }

  static long unsealedExpiry(long timeMillis) {
    return timeMillis + UNSEALED.toMillis();
  }
}

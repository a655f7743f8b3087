package io.vdfs.datanode.stream;

import java.util.concurrent.CompletableFuture;

/**
 * A request for an extent. Its queue completes {@code done} outside its lock. Thread-safe: nothing
 * else changes.
 *
 * @param arrived when it was asked for, in nanoseconds
 */
record Demand(Extent extent, By by, long arrived, CompletableFuture<Void> done) {
  /** The kind of caller that wants it. */
  enum By {
    /** A reader that waits for these bytes. */
    READER,
    /** A task that was granted them and will come for them. */
    GRANT
  }

  Demand(Extent extent, By by, long arrived) {
    this(extent, by, arrived, new CompletableFuture<>());
  }

  /** Two demands are never the same, however equal what they ask for. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}

package io.vdfs.datanode.stream;

import java.util.concurrent.CompletableFuture;

/**
 * A reader waits for an extent. Its queue completes {@code done} outside its lock. Thread-safe:
 * nothing else changes.
 *
 * @param arrived when it was asked for, in nanoseconds
 */
record Demand(Extent extent, long arrived, CompletableFuture<Void> done) {
  Demand(Extent extent, long arrived) {
    this(extent, arrived, new CompletableFuture<>());
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

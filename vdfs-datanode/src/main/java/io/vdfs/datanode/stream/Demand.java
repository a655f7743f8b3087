package io.vdfs.datanode.stream;

import java.util.concurrent.CompletableFuture;

/**
 * A request for an extent. Its queue completes {@code done} outside its lock. Thread-safe: nothing
 * else changes.
 *
 * @param arrived when it was asked for, in nanoseconds
 */
record Demand(Extent extent, By by, long arrived, CompletableFuture<Void> done) {
  /**
   * Who wants it.
   *
   * @param reader whether a reader waits for these bytes; else a task was granted them and will
   *     come for them
   * @param host of the share of the queue that it takes
   */
  record By(boolean reader, StoreReads.Host host) {
    /** A reader on this machine. */
    static final By READER = readerOn(StoreReads.Host.HERE);

    static final By GRANT = new By(false, StoreReads.Host.HERE);

    static By readerOn(StoreReads.Host host) {
      return new By(true, host);
    }
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

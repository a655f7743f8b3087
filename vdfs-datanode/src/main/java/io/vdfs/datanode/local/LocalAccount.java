package io.vdfs.datanode.local;

import io.vdfs.common.metrics.Counters;

/**
 * Counts what readers were granted, and what they did with it by their own account. Thread-safe.
 */
final class LocalAccount {
  private final Counters<LocalCounter> counters;
  private final TellableBytes read;
  private final TellableBytes fetched;

  LocalAccount(Counters<LocalCounter> counters) {
    this.counters = counters;
    this.read = new TellableBytes(counters, LocalCounter.READ_BYTES);
    this.fetched = new TellableBytes(counters, LocalCounter.FETCHED_BY_CLIENT_BYTES);
  }

  /**
   * @param warm whether the bytes were in memory
   */
  void onGranted(int bytes, boolean warm) {
    counters.increment(LocalCounter.GRANTS);
    counters.add(LocalCounter.GRANTED_BYTES, bytes);
    counters.add(LocalCounter.GRANTED_COLD_BYTES, warm ? 0 : bytes);
    read.allow(bytes);
    fetched.allow(bytes);
  }

  /** As {@link #onGranted}, of bytes in memory that were not asked for yet. */
  void onEarlyGranted(int bytes) {
    counters.increment(LocalCounter.EARLY_GRANTS);
    onGranted(bytes, true);
  }

  /**
   * Counts what a reader has done since its last report. Never blocks.
   *
   * @param readBytes taken from block files
   * @param fetchedBytes that the disk had to give for that
   */
  void onTold(long readBytes, long fetchedBytes) {
    read.onTold(readBytes);
    fetched.onTold(fetchedBytes);
  }
}

package io.vdfs.client.read;

import io.vdfs.common.error.VdfsException;

/** Hears of each range that a reader asks of a node. Thread-safe. */
@FunctionalInterface
public interface FetchListener {
  /** Of a reader without a listener; costs nothing. */
  FetchListener NONE = (start, position, asked, got, way, failure) -> {};

  /**
   * A try to fetch a range is over as the reader sees it, on the reader's thread: bytes fetched
   * ahead may have been there for a while.
   *
   * @param start when it was asked for, by {@code System.nanoTime}
   * @param position of its first byte in the file
   * @param asked bytes
   * @param got bytes that count
   * @param way delivery and node
   * @param failure why there is no more; null if all is there
   */
  void onFetched(long start, long position, int asked, int got, String way, VdfsException failure);
}

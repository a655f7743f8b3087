package io.vdfs.client.delivery.local;

import io.vdfs.common.wire.proto.LocalReadsProto;

/**
 * What a client read from the block files of one node, and how much of it was not in memory, though
 * the node had brought it there. Thread-safe: the monitor guards all fields.
 */
final class LocalReads {
  /** Bytes read over which the share is taken. */
  static final long WINDOW = 64L << 20;

  private final long window;
  private final int percentLimit;
  private long read;
  private long fetched;
  private long untoldRead;
  private long untoldFetched;

  /**
   * @param window bytes read over which the share is taken
   * @param percentLimit share that may come from the disk
   */
  LocalReads(long window, int percentLimit) {
    this.window = window;
    this.percentLimit = percentLimit;
  }

  /**
   * Bytes were read.
   *
   * @param bytesFetched from the disk for them, and beyond them where the system read ahead
   * @return whether that ends a window of which more than allowed came from the disk
   */
  synchronized boolean onRead(long bytes, long bytesFetched) {
    untoldRead += bytes;
    untoldFetched += bytesFetched;
    read += bytes;
    fetched += bytesFetched;
    if (read < window) {
      return false;
    }
    boolean tooMuch = Math.min(fetched, read) * 100 > read * percentLimit;
    read = 0;
    fetched = 0;
    return tooMuch;
  }

  /** What is to be reported to the node; it counts as reported then. */
  synchronized LocalReadsProto tell() {
    LocalReadsProto told =
        LocalReadsProto.newBuilder()
            .setReadBytes(untoldRead)
            .setFetchedBytes(untoldFetched)
            .build();
    untoldRead = 0;
    untoldFetched = 0;
    return told;
  }
}

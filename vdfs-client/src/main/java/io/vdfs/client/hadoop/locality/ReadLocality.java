package io.vdfs.client.hadoop.locality;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes came from how far away, for the files that a thread opens on any {@code vdfs://}
 * filesystem while it {@linkplain #begin has begun} this count. Such a file is counted for as long
 * as it is open, whichever thread reads it. Thread-safe.
 */
public final class ReadLocality {
  private static final ThreadLocal<ReadLocality> OPENED = new ThreadLocal<>();

  private final AtomicLong local = new AtomicLong();
  private final AtomicLong rack = new AtomicLong();
  private final AtomicLong remote = new AtomicLong();

  /**
   * Files that this thread opens from now on are counted here.
   *
   * @return what has counted them so far, for {@link #end}; null if nothing has
   */
  public ReadLocality begin() {
    ReadLocality before = OPENED.get();
    OPENED.set(this);
    return before;
  }

  /**
   * Files that this thread opens from now on are counted as they were before a {@link #begin}.
   *
   * @param before what {@code begin} returned
   */
  public static void end(ReadLocality before) {
    OPENED.set(before);
  }

  /** What counts the files that this thread opens. */
  public static Optional<ReadLocality> ofThread() {
    return Optional.ofNullable(OPENED.get());
  }

  /**
   * @param distance as {@link NodeDistances} tells it
   */
  void add(int distance, int bytes) {
    AtomicLong place =
        switch (distance) {
          case NodeDistances.SAME_HOST -> local;
          case NodeDistances.SAME_RACK -> rack;
          default -> remote;
        };
    place.addAndGet(bytes);
  }

  /** Bytes from this machine's node. */
  public long localBytes() {
    return local.get();
  }

  /** Bytes from other nodes of this machine's rack. */
  public long rackBytes() {
    return rack.get();
  }

  /** Bytes from nodes of other racks. */
  public long remoteBytes() {
    return remote.get();
  }
}

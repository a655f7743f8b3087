package io.vdfs.client.hadoop.locality;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes came from how far away, for the files that a thread opens on any {@code vdfs://}
 * filesystem while its {@link Opener} has this count. Such a file is counted for as long as it is
 * open, whichever thread reads it. Thread-safe.
 */
public final class ReadLocality {
  private static final ThreadLocal<Opener> OPENERS = ThreadLocal.withInitial(Opener::new);

  private final AtomicLong local = new AtomicLong();
  private final AtomicLong rack = new AtomicLong();
  private final AtomicLong remote = new AtomicLong();

  /**
   * A thread that opens files. Looking it up costs as much as a record of a text, so callers keep
   * it. Confined to its thread.
   */
  public static final class Opener {
    private ReadLocality count;

    private Opener() {}

    /**
     * Files that the thread opens from now on are counted by {@code next}; by nothing if it is
     * null.
     *
     * @return what has counted them so far; null if nothing has
     */
    public ReadLocality countBy(ReadLocality next) {
      ReadLocality before = count;
      count = next;
      return before;
    }
  }

  /** The calling thread. */
  public static Opener opener() {
    return OPENERS.get();
  }

  /** What counts the files that this thread opens. */
  public static Optional<ReadLocality> ofThread() {
    return Optional.ofNullable(OPENERS.get().count);
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

package io.vdfs.datanode.meta.state;

import io.vdfs.common.wire.proto.InodeRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How much of the files being written readers can see, where writers have told more than the log
 * says. Only the leader has it, it is never logged, and a new leader begins without it; so only
 * answers to queries may depend on it, never an operation. A holder can speak of its own files
 * alone. Bounded: what is too much is not kept. Thread-safe.
 */
public final class FlushedLengths {
  private static final int MOST_HOLDERS = 20_000;
  private static final int MOST_FILES = 200_000;

  private final Map<LeaseHolder, Map<Long, Long>> byHolder = new ConcurrentHashMap<>();

  /**
   * @param lengths by file id; in place of what the holder said before
   */
  public void put(LeaseHolder holder, Map<Long, Long> lengths) {
    boolean isNew = !byHolder.containsKey(holder);
    if (lengths.isEmpty()) {
      byHolder.remove(holder);
    } else if (!isNew || byHolder.size() < MOST_HOLDERS) {
      if (files() + lengths.size() <= MOST_FILES) {
        byHolder.put(holder, Map.copyOf(lengths));
      }
    }
  }

  private int files() {
    return byHolder.values().stream().mapToInt(Map::size).sum();
  }

  /** Forgets all holders but these. */
  public void retain(Set<LeaseHolder> holders) {
    byHolder.keySet().retainAll(holders);
  }

  public void clear() {
    byHolder.clear();
  }

  /** Bytes of a file that others may be shown: of a closed one its length. */
  public long of(InodeRecord file) {
    long known = Inodes.flushedLength(file);
    if (!Inodes.isOpen(file) || byHolder.isEmpty()) {
      return known;
    }
    Map<Long, Long> told =
        byHolder.getOrDefault(LeaseHolder.of(file.getFile().getLease()), new HashMap<>());
    return Math.max(known, told.getOrDefault(file.getId(), 0L));
  }
}

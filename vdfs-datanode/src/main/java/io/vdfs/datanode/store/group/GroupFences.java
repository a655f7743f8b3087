package io.vdfs.datanode.store.group;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The epochs below which the groups of a file have no writers any more. Fences are read by any
 * thread; which of them were forced is guarded by the guard of the stored file.
 */
final class GroupFences {
  /** The epoch that the metadata give the first writer of a file. */
  static final long FIRST_EPOCH = 1;

  private final Map<Integer, Long> fences = new ConcurrentHashMap<>();

  /**
   * Fences that were forced. A fence that came with the end of a group may not survive a power cut
   * yet, but a caller that fences the same epoch relies on its surviving one.
   */
  private Map<Integer, Long> forced = Map.of();

  /** The highest fence of a group, 0 if there is none. */
  long of(int group) {
    return fences.getOrDefault(group, 0L);
  }

  /** Whether a fence has to be written down, so that it holds or survives a power cut. */
  boolean lacks(int group, long epoch, boolean force) {
    return of(group) < epoch || (force && forced.getOrDefault(group, 0L) < epoch);
  }

  void note(int group, long epoch) {
    fences.merge(group, epoch, Math::max);
  }

  void noteForced(int group, long epoch) {
    if (forced.isEmpty()) {
      forced = new HashMap<>();
    }
    forced.merge(group, epoch, Math::max);
  }
}

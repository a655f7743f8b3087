package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Blocks that a peer says it received damaged from here, until this node verifies them itself.
 * Bounded, as any peer may say so of any block. Thread-safe: the monitor guards the set.
 */
public final class DoubtedBlocks {
  /** Blocks that wait at a time. */
  public static final int MOST = 1000;

  private final Set<Doubt> waiting = new LinkedHashSet<>();

  /** A block, by its number in the file. */
  public record Doubt(FileKey file, int group, long block) {}

  /**
   * @return false if too many wait already, so that this one is not looked at
   */
  public synchronized boolean add(Doubt doubt) {
    return waiting.contains(doubt) || (waiting.size() < MOST && waiting.add(doubt));
  }

  /** The one that waits longest, which waits no more. */
  public synchronized Optional<Doubt> poll() {
    Iterator<Doubt> all = waiting.iterator();
    if (!all.hasNext()) {
      return Optional.empty();
    }
    Doubt first = all.next();
    all.remove();
    return Optional.of(first);
  }
}

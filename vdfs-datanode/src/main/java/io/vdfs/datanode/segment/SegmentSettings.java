package io.vdfs.datanode.segment;

import io.vdfs.common.segment.SegmentLayout;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where segments lie and how large they are. Immutable.
 *
 * @param directory in which the node makes a directory of its own; on a filesystem in memory
 * @param group whose members may read segments besides the daemon's own user
 * @param memory most bytes of all segments together
 * @param layout of each segment
 */
public record SegmentSettings(
    Path directory, Optional<String> group, long memory, SegmentLayout layout) {
  private static final int SLOTS = 6;

  /** Slots for two readers of a process, each of which copies one range and has two on the way. */
  public static SegmentLayout layoutFor(int blockSize) {
    return new SegmentLayout(SLOTS, Math.min(blockSize, 8 << 20));
  }
}

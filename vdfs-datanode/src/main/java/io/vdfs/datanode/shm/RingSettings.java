package io.vdfs.datanode.shm;

import io.vdfs.common.shm.RingLayout;
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
public record RingSettings(Path directory, Optional<String> group, long memory, RingLayout layout) {
  private static final int SLOTS = 6;

  /** Slots for two readers of a process who each copy one range and have two on the way. */
  public static RingLayout layoutFor(int blockSize) {
    return new RingLayout(SLOTS, Math.min(blockSize, 8 << 20));
  }
}

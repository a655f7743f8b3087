package io.vdfs.datanode.stream;

import io.vdfs.common.model.FileKey;
import java.util.concurrent.CompletableFuture;

/**
 * Brings blocks into the page cache before a local reader is told where they lie, in the order that
 * suits the disk. Thread-safe; never blocks.
 */
@FunctionalInterface
public interface BlockWarmer {
  /** Leaves it to the reader, whose own reads then go to the disk in their order. */
  BlockWarmer NONE = (file, block, offset, length) -> CompletableFuture.completedFuture(null);

  /**
   * @param offset first byte in the block
   * @return completes when the bytes are in memory; a failure is not passed on to the reader, which
   *     finds out by itself
   */
  CompletableFuture<Void> warm(FileKey file, long block, int offset, int length);

  /**
   * Takes a range of a block for a reader that will want it soon, if that costs nobody anything:
   * all of it is in memory and nobody waits for its disk.
   *
   * @return whether it was taken; never, unless overridden
   */
  default boolean takeFromMemory(FileKey file, long block, int offset, int length) {
    return false;
  }
}

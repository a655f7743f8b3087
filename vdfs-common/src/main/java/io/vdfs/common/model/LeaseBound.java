package io.vdfs.common.model;

/**
 * Which bytes of a file that is being written count: all up to the length at which the lease began,
 * and behind it those in blocks of the lease's first write epoch or a later one. Whatever else a
 * node holds there was left behind by an earlier writer and never was in the file. Immutable.
 *
 * @param startLength of the file when the lease began
 * @param firstEpoch write epoch with which the lease began
 */
public record LeaseBound(long startLength, long firstEpoch) {
  /** Everything counts: for a closed file, or where the bound is unknown. */
  public static final LeaseBound NONE = new LeaseBound(0, 0);

  public LeaseBound {
    if (startLength < 0 || firstEpoch < 0) {
      throw new IllegalArgumentException(
          "a lease begins at a length and an epoch: startLength=%s, firstEpoch=%s"
              .formatted(startLength, firstEpoch));
    }
  }

  /**
   * Bytes that count of a block.
   *
   * @param blockStart of the block in the file
   * @param length bytes held of it
   * @param writeEpoch of the block
   */
  public int counted(long blockStart, int length, long writeEpoch) {
    return writeEpoch >= firstEpoch
        ? length
        : (int) Math.max(0, Math.min(length, startLength - blockStart));
  }

  /** Lowest write epoch that a block must have for its bytes up to {@code end} to count. */
  public long epochFor(long end) {
    return end > startLength ? firstEpoch : 0;
  }
}

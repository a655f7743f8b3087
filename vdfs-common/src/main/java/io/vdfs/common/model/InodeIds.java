package io.vdfs.common.model;

/**
 * How the id of an inode is made up. Part of the on-disk contract: placement follows from it.
 *
 * <pre>
 *   bit 63   62 ... 55   54 ... 9   8           7 ... 0
 *   0        series      count      directory   partition
 * </pre>
 *
 * Files and directories count apart, so that making directories leaves no gaps between files.
 * Series and count together are the <em>number</em> of the inode. A series belongs to a giver of
 * numbers: today there is one, with series 0; several givers that count at once would take one
 * series each. Pure.
 */
public final class InodeIds {
  /** Partitions of the namespace. */
  public static final int PARTITIONS = 256;

  /** Series that can count at once. */
  public static final int SERIES = 256;

  /** The highest count of a series. */
  public static final long LAST_COUNT = (1L << 46) - 1;

  private static final int PARTITION_BITS = 8;
  private static final long DIRECTORY = 1L << PARTITION_BITS;
  private static final int NUMBER_SHIFT = PARTITION_BITS + 1;
  private static final int COUNT_BITS = Long.numberOfTrailingZeros(LAST_COUNT + 1);

  private InodeIds() {}

  /**
   * @param number from 1
   * @throws IllegalArgumentException if a number lies outside its range
   */
  public static long file(long number, int partition) {
    return id(number, 1, partition);
  }

  /**
   * @param number from 0, which is the root directory's
   * @throws IllegalArgumentException if a number lies outside its range
   */
  public static long directory(long number, int partition) {
    return id(number, 0, partition) | DIRECTORY;
  }

  private static long id(long number, int first, int partition) {
    if (number < first
        || number >= (long) SERIES << COUNT_BITS
        || partition < 0
        || partition >= PARTITIONS) {
      throw new IllegalArgumentException(
          "no such inode: number=" + number + ", partition=" + partition);
    }
    return (number << NUMBER_SHIFT) | partition;
  }

  public static boolean isDirectory(long id) {
    return (id & DIRECTORY) != 0;
  }

  /** The home partition of inode {@code id}. */
  public static int partition(long id) {
    return (int) id & (PARTITIONS - 1);
  }

  /** Series and count of the inode. */
  public static long number(long id) {
    return id >>> NUMBER_SHIFT;
  }

  /** The series of an inode with this number. */
  public static int series(long number) {
    return (int) (number >>> COUNT_BITS) & (SERIES - 1);
  }

  /** The count, within its series, of an inode with this number. */
  public static long count(long number) {
    return number & LAST_COUNT;
  }
}

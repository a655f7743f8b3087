package io.vdfs.client.delivery;

/**
 * Tells what reading costs the disk. Confined to one thread at a time; the difference of two looks
 * says something if one thread took both.
 */
@FunctionalInterface
public interface DiskReads extends AutoCloseable {
  /** For files that are no disk's. */
  DiskReads NONE = () -> 0;

  /**
   * Bytes that the system has had to get from disks for reads of the calling thread so far, its
   * read-ahead included; what memory had costs nothing. Always 0 where that cannot be told.
   */
  long bytes();

  /** The next look may open anew what this closes. */
  @Override
  default void close() {}
}

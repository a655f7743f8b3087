package io.vdfs.client.delivery;

/**
 * Tells what reading costs the disk. Confined to one thread at a time; the difference of two
 * readings means something only if one thread took both.
 */
@FunctionalInterface
public interface DiskReads extends AutoCloseable {
  /** For files that lie on no disk. */
  DiskReads NONE = () -> 0;

  /**
   * Bytes that the system has had to get from disks for reads of the calling thread so far, its
   * read-ahead included; bytes in memory cost nothing. Always 0 where that is not known.
   */
  long bytes();

  /** The next reading may reopen what this closes. */
  @Override
  default void close() {}
}

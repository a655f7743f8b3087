package io.vdfs.client.meta;

import java.util.UUID;

/** Under whose id files are written, and who hears how far that has come. Thread-safe. */
public interface ClientLeases {
  /** The id under which leases are held. */
  UUID holder();

  /**
   * Readers can see so many bytes of a file that is being written. Others are told within about a
   * second, as well as that goes; nothing depends on it. Does not block.
   */
  void flushed(long fileId, long length);
}

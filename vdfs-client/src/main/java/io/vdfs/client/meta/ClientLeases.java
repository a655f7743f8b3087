package io.vdfs.client.meta;

import java.util.UUID;

/**
 * The id under which files are written, and the place to report how far that has come. Thread-safe.
 */
public interface ClientLeases {
  /** The id under which leases are held. */
  UUID holder();

  /**
   * Readers can see so many bytes of a file that is being written. Other clients are told within
   * about a second, at best effort; nothing depends on it. Does not block.
   */
  void flushed(long fileId, long length);
}

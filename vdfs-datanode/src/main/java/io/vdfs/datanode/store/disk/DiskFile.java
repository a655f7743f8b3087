package io.vdfs.datanode.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Thread-safe: reads and writes name their position. */
public interface DiskFile extends Closeable {
  /**
   * Reads some bytes at {@code position} into the buffer.
   *
   * @return how many; -1 at or behind the end of the file
   */
  int read(ByteBuffer target, long position) throws IOException;

  /**
   * Whether these bytes very likely are in memory, so that reading them does not touch the disk;
   * false where that cannot be told. Looks at samples.
   */
  boolean isCached(long position, long length);

  /**
   * Writes some bytes of the buffer at {@code position}, extending the file as needed.
   *
   * @return how many, possibly fewer than the buffer holds
   * @throws DiskFullException if there is no room
   */
  int write(ByteBuffer source, long position) throws IOException;

  /**
   * Returns when all that was written before survives a power cut. After a failure it is unknown
   * what is on the disk, and a later success says nothing about it.
   */
  void force() throws IOException;

  /** Gives up what lies behind the first {@code size} bytes; nothing if there are no more. */
  void truncate(long size) throws IOException;

  /**
   * Gives back the room of bytes that are not needed any more; they are zeros from then on, as soon
   * as this returns or in a later power cut. The size stays.
   *
   * @throws IOException if the filesystem can't do so, or failed; nothing is lost then
   */
  void deallocate(long position, long length) throws IOException;

  long size() throws IOException;
}

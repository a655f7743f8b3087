package io.vdfs.client.files;

import java.io.Closeable;
import java.io.IOException;

/**
 * Appends bytes to one file. Confined to one thread at a time, except for {@link #abort}.
 *
 * <p>A failure, whatever it was, leaves the writer dead: part of what it was given may be lost, so
 * every further call fails, {@link #close} once.
 */
public interface ContentWriter extends Closeable {
  /** Bytes of the file so far, written ones included. */
  long position();

  void write(byte[] bytes, int offset, int length) throws IOException;

  /**
   * On return every replica of the current epoch has the bytes so far, and new readers see them.
   */
  void flush() throws IOException;

  /** On return the bytes so far are fsynced on every replica of the current epoch. */
  void sync() throws IOException;

  /**
   * Makes the file durable and ends it. Fails where the writer is dead or was given up; the file
   * then stays open for writing until its lease is recovered. A second call does nothing.
   */
  @Override
  void close() throws IOException;

  /**
   * Gives the file up without ending it, and ends a call of another thread, without waiting for it.
   * Does nothing after {@link #close()}.
   */
  void abort();
}

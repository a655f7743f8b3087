package io.vdfs.client;

import java.io.Closeable;
import java.io.IOException;

/** Appends bytes to one file. Confined to one thread at a time. */
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
   * Makes the file durable and ends it. After a failure the file stays open for writing until its
   * lease is recovered; a second call does nothing.
   */
  @Override
  void close() throws IOException;

  /** Lets go of everything without ending the file. Does nothing after {@link #close()}. */
  void abort();
}

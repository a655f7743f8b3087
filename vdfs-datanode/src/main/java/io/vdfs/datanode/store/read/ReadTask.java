package io.vdfs.datanode.store.read;

/** One read of a volume, placed so that an order can keep the disk moving forward. */
public interface ReadTask {
  /** Names the file within its volume; the same number for every read of it. */
  long file();

  /** Offset of the first byte in the file. */
  long position();

  /** Bytes to read, at least 1. */
  int length();

  /** Bytes between two blocks of the file that a sequential reader skips. */
  int gap();

  /** Reads and hands the result over; called once, on the reader thread. Must not throw. */
  void execute();

  /** Says that the read will not happen because its volume is closed. Called instead of execute. */
  void refuse();
}

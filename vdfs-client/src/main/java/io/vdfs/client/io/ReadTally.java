package io.vdfs.client.io;

import io.vdfs.client.io.replica.ReplicaNode;

/** Learns from which nodes the bytes that a reader handed out came. Thread-safe. */
@FunctionalInterface
public interface ReadTally {
  /** Counts nothing. */
  ReadTally NONE = (node, bytes) -> {};

  /**
   * Bytes were handed out; told by the thread that reads, once for each byte, and not of reads that
   * fail.
   */
  void onRead(ReplicaNode node, int bytes);
}

package io.vdfs.client.io;

/** The ways bytes of a block come to a reader. */
public enum Delivery {
  /** Local where it can be had, else by segment, else by socket. */
  AUTO,
  /** From the block files of the node on this machine only; what it does not hold fails. */
  LOCAL,
  /**
   * From memory that the node on this machine shares, over its socket while all of that memory is
   * in use; what this node does not hold fails.
   */
  SEGMENT,
  /** Over the network only, also from the node on this machine. */
  SOCKET
}

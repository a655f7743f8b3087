package io.vdfs.common.net;

import io.vdfs.common.error.VdfsException;

/** Receives what happens on a {@link DataStream}. Called on the connection's event loop only. */
public interface StreamListener {
  /**
   * A frame arrived.
   *
   * @param frame valid during the call; retain the payload to keep it
   * @throws VdfsException if a sound peer would never send this; the connection is then closed
   */
  void onFrame(Frame frame) throws VdfsException;

  /** The connection has worked off its backlog, or has too much of it. */
  default void onWritabilityChanged(boolean writable) {}

  /** The connection is gone; nothing follows. Not called after the stream was closed. */
  void onDisconnected(VdfsException cause);
}

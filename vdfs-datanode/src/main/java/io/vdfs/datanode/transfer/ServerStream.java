package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.Frame;

/** One exchange that a peer began. Confined to the connection's event loop. */
public interface ServerStream {
  /**
   * The frame that the peer began with; once, before all else.
   *
   * @param frame valid during the call
   * @throws VdfsException INVALID_ARGUMENT for a request no sound peer sends; the connection is
   *     then closed
   */
  void open(Frame frame) throws VdfsException;

  /**
   * A further frame of the stream.
   *
   * @param frame valid during the call
   * @throws VdfsException if a sound peer would never send this; the connection is then closed
   */
  void onFrame(Frame frame) throws VdfsException;

  /** The connection has room again, or none. */
  void onWritabilityChanged();

  /**
   * The peer gave the stream up or is gone; nothing more comes from it, but this may be called
   * again. The stream ends its outlet once: now, or when what it began is over and nothing holds
   * its request any more.
   */
  void onGone();
}

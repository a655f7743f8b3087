package io.vdfs.common.net;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.FrameType;

/** Decides whether a frame has a place on its connection before its payload comes in. */
@FunctionalInterface
public interface FrameGate {
  /**
   * Called on the event loop with each frame whose fixed part and header are whole, before anything
   * is set aside for the payload.
   *
   * @param payload bytes that are still to come
   * @throws VdfsException if the frame is refused; the connection is over then
   */
  void accept(FrameType type, int streamId, int payload) throws VdfsException;
}

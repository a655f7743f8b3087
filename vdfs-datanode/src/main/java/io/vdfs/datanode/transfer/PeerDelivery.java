package io.vdfs.datanode.transfer;

import io.vdfs.common.wire.FrameType;

/**
 * One way in which bytes of blocks come to the peer of a connection, on this node's side: a stream
 * for each request of its kinds, and what these share. Confined to the connection's event loop.
 */
public interface PeerDelivery {
  /** Whether it answers requests of a kind; no other delivery does then. */
  boolean answers(FrameType request);

  /** Makes the stream that answers a request of its kinds; it is opened by the caller. */
  ServerStream begin(FrameType request, Outlet outlet);

  /** Whether something depends on the connection though its peer sends nothing. */
  boolean isUsed();

  /** The connection is over, and its streams know. Releases what they shared; called once. */
  void end();
}

package io.vdfs.datanode.transfer;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.stream.StoreReads;

/** The way back to the peer of one stream. Confined to the connection's event loop. */
public interface Outlet {
  EventExecutor loop();

  /** Where the peer connects from. */
  StoreReads.Host host();

  boolean isWritable();

  default void send(FrameType type, MessageLite header) {
    send(type, header, Unpooled.EMPTY_BUFFER);
  }

  /**
   * @param payload the reference is taken over
   */
  default void send(FrameType type, MessageLite header, ByteBuf payload) {
    send(type, header, payload, () -> {});
  }

  /**
   * As above, for a stream that keeps account of what the peer has not taken up.
   *
   * @param payload the reference is taken over
   * @param taken run on the loop once nothing of the payload is kept here, also where the
   *     connection broke; possibly before this returns
   */
  void send(FrameType type, MessageLite header, ByteBuf payload, Runnable taken);

  /**
   * Sets memory aside for what is sent: from this connection's budget first, then from the one that
   * all share.
   *
   * @param granted run on the loop, once and never before this returns, even if the connection
   *     broke; {@link #release} is to follow
   */
  void acquire(int bytes, Runnable granted);

  void release(int bytes);

  /** Stops or goes on reading from the connection on behalf of this stream. */
  void pauseReading(boolean pause);

  /**
   * The stream is over: later frames of it are a fault of the peer, except for its cancellation.
   */
  void end();
}

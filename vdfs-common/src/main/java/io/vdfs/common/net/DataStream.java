package io.vdfs.common.net;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.vdfs.common.wire.FrameType;

/** One exchange on a data connection, made by the connecting side. Thread-safe. */
public final class DataStream {
  private final Channel channel;
  private final int id;
  private final Runnable unregister;

  /**
   * @param unregister has the listener called no more; for any thread
   */
  DataStream(Channel channel, int id, Runnable unregister) {
    this.channel = channel;
    this.id = id;
    this.unregister = unregister;
  }

  /** Sends a frame without payload; see {@link #send(FrameType, MessageLite, ByteBuf)}. */
  public void send(FrameType type, MessageLite header) {
    send(type, header, Unpooled.EMPTY_BUFFER);
  }

  /**
   * Sends a frame; frames of one caller arrive in order. Never blocks: the caller bounds what is
   * under way. Where the connection is gone the frame is dropped, and the listener hears of it.
   *
   * @param payload the reference is taken over
   */
  public void send(FrameType type, MessageLite header, ByteBuf payload) {
    send(new Frame(type, id, header.toByteString(), payload));
  }

  /** Whether the connection has room for more without piling up memory. */
  public boolean isWritable() {
    return channel.isWritable();
  }

  /** Ends the stream here: its listener is not called again. The peer is told to give it up. */
  public void cancel() {
    askToGiveUp();
    end();
  }

  /** Tells the peer to give the stream up; an answer of the peer still reaches the listener. */
  public void askToGiveUp() {
    send(new Frame(FrameType.CANCEL, id, ByteString.EMPTY, Unpooled.EMPTY_BUFFER));
  }

  /** Ends the stream here after the peer's last frame: its listener is not called again. */
  public void end() {
    unregister.run();
  }

  private void send(Frame frame) {
    channel.writeAndFlush(frame).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }
}

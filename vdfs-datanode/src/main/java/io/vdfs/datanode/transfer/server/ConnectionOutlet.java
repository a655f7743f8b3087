package io.vdfs.datanode.transfer.server;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.EventExecutor;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.Outlet;

/** The outlet of one stream of a connection. Confined to the connection's event loop. */
final class ConnectionOutlet implements Outlet {
  private final ServerConnection connection;
  private final Channel channel;
  private final int streamId;
  private boolean paused;

  ConnectionOutlet(ServerConnection connection, Channel channel, int streamId) {
    this.connection = connection;
    this.channel = channel;
    this.streamId = streamId;
  }

  @Override
  public EventExecutor loop() {
    return channel.eventLoop();
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void send(FrameType type, MessageLite header, ByteBuf payload, Runnable taken) {
    connection.onSent();
    channel
        .writeAndFlush(new Frame(type, streamId, header.toByteString(), payload))
        .addListener(ChannelFutureListener.CLOSE_ON_FAILURE)
        .addListener(
            done -> {
              connection.onTaken();
              taken.run();
            });
  }

  @Override
  public void acquire(int bytes, Runnable granted) {
    connection.acquire(bytes, granted);
  }

  @Override
  public void release(int bytes) {
    connection.release(bytes);
  }

  @Override
  public void pauseReading(boolean pause) {
    if (paused != pause) {
      paused = pause;
      connection.onPaused(pause);
    }
  }

  @Override
  public void end() {
    pauseReading(false);
    connection.onEnded(streamId);
  }
}

package io.vdfs.datanode.transfer.server;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.util.concurrent.EventExecutor;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.transfer.Outlet;

/** The outlet of one stream of a connection. Confined to the connection's event loop. */
final class ConnectionOutlet implements Outlet {
  private final Owner owner;
  private final Channel channel;
  private final int streamId;
  private boolean paused;

  /** The connection, as the outlets of its streams know it. */
  interface Owner {
    StoreReads.Host host();

    /** A frame is on its way to the peer; {@link #onTaken} follows. */
    void onSent();

    /** A frame was taken up, or the connection broke. */
    void onTaken();

    /** See {@link Outlet#acquire}. */
    void acquire(int bytes, Runnable granted);

    void release(int bytes);

    /** A stream wants reading from the connection paused, or no longer. */
    void onPaused(boolean pause);

    void onEnded(int streamId);
  }

  ConnectionOutlet(Owner owner, Channel channel, int streamId) {
    this.owner = owner;
    this.channel = channel;
    this.streamId = streamId;
  }

  @Override
  public EventExecutor loop() {
    return channel.eventLoop();
  }

  @Override
  public StoreReads.Host host() {
    return owner.host();
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void send(FrameType type, MessageLite header, ByteBuf payload, Runnable taken) {
    owner.onSent();
    channel
        .writeAndFlush(new Frame(type, streamId, header.toByteString(), payload))
        .addListener(ChannelFutureListener.CLOSE_ON_FAILURE)
        .addListener(
            done -> {
              owner.onTaken();
              taken.run();
            });
  }

  @Override
  public void acquire(int bytes, Runnable granted) {
    owner.acquire(bytes, granted);
  }

  @Override
  public void release(int bytes) {
    owner.release(bytes);
  }

  @Override
  public void pauseReading(boolean pause) {
    if (paused != pause) {
      paused = pause;
      owner.onPaused(pause);
    }
  }

  @Override
  public void end() {
    pauseReading(false);
    owner.onEnded(streamId);
  }
}

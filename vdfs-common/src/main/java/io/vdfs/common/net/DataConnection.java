package io.vdfs.common.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP connection to a node's data port that carries many streams. Thread-safe. There is no
 * per-stream flow control: the listener of a stream takes what it asked for at once, so a reader
 * that may have to stop uses a connection of its own.
 */
public final class DataConnection {
  private final Channel channel;
  private final DataAddress address;
  private final StreamDispatcher dispatcher;
  private final AtomicInteger lastStreamId = new AtomicInteger();

  DataConnection(Channel channel, DataAddress address, StreamDispatcher dispatcher) {
    this.channel = channel;
    this.address = address;
    this.dispatcher = dispatcher;
  }

  public DataAddress address() {
    return address;
  }

  public boolean isOpen() {
    return channel.isActive();
  }

  /**
   * Begins a stream; nothing is sent yet. Where the connection is gone already, the listener hears
   * of it soon.
   */
  public DataStream open(StreamListener listener) {
    int id = lastStreamId.incrementAndGet();
    runOnLoop(() -> register(id, listener));
    return new DataStream(channel, id, () -> runOnLoop(() -> dispatcher.remove(id)));
  }

  /** Closes the connection and with it all its streams; their listeners hear of it. Idempotent. */
  public void close() {
    channel.close().addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  private void register(int id, StreamListener listener) {
    if (channel.isActive()) {
      dispatcher.add(id, listener);
    } else {
      listener.onDisconnected(
          new VdfsException(ErrorCode.UNAVAILABLE, "connection is closed: address=" + address));
    }
  }

  private void runOnLoop(Runnable action) {
    if (channel.eventLoop().inEventLoop()) {
      action.run();
    } else {
      channel.eventLoop().execute(action);
    }
  }

  @Override
  public String toString() {
    return "DataConnection[address=" + address + ", local=" + channel.localAddress() + "]";
  }
}

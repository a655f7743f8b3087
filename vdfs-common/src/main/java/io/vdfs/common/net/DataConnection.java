package io.vdfs.common.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP connection to a node's data port that carries many streams. Thread-safe. There is no
 * per-stream flow control: the listener of a stream takes what it asked for at once, so a reader
 * that may have to stop uses a connection of its own.
 */
public final class DataConnection {
  /** What no question takes longer than: verifying a group at a node takes 158 s at most. */
  private static final long LONGEST_ANSWER_NANOS = TimeUnit.MINUTES.toNanos(3);

  private final Channel channel;
  private final DataAddress address;
  private final StreamDispatcher dispatcher;
  private final AtomicInteger lastStreamId = new AtomicInteger();
  private final AtomicBoolean silent = new AtomicBoolean();

  DataConnection(Channel channel, DataAddress address, StreamDispatcher dispatcher) {
    this.channel = channel;
    this.address = address;
    this.dispatcher = dispatcher;
    dispatcher.onConnected();
  }

  public DataAddress address() {
    return address;
  }

  public boolean isOpen() {
    return channel.isActive();
  }

  /** Whether it may be shared further: it is open and was not found silent. */
  boolean isUsable() {
    return isOpen() && !silent.get();
  }

  /**
   * Tells that a request which went this way has waited for {@code limit} in vain. If nothing at
   * all has come for as long, the connection counts as dead, though nobody has closed it: it is not
   * shared further, and closed once nothing comes for that long again. Where others wait for
   * answers still, as to questions that take a busy node long, it is left to them for some minutes.
   */
  public void onUnanswered(Duration limit) {
    long nanos = limit.toNanos();
    if (dispatcher.silentNanos() >= nanos && silent.compareAndSet(false, true)) {
      closeOnceSilent(nanos, nanos);
    }
  }

  private void closeOnceSilent(long limit, long delay) {
    var unused =
        channel.eventLoop().schedule(() -> closeIfSilent(limit), delay, TimeUnit.NANOSECONDS);
  }

  private void closeIfSilent(long limit) {
    if (!channel.isActive()) {
      return;
    }
    long tolerated = dispatcher.isAwaited() ? Math.max(limit, LONGEST_ANSWER_NANOS) : limit;
    long left = tolerated - dispatcher.silentNanos();
    if (left > 0) {
      closeOnceSilent(limit, Math.min(limit, left));
    } else {
      dispatcher.onSilent();
      close();
    }
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

package io.vdfs.common.net;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Hands incoming frames to the listeners of their streams. Makes the connection take its buffers
 * from the pool once it has carried more than a little. Confined to the event loop, except where a
 * method says otherwise.
 */
final class StreamDispatcher extends SimpleChannelInboundHandler<Frame> {
  /** Bytes that pass without the pool, such as a small file or a few answers. */
  static final int LITTLE = 256 << 10;

  /** Bytes that a frame counts beside its payload, so that many small frames lead to the pool. */
  static final int FRAME = 4 << 10;

  private final DataAddress address;
  private final Counters<NetCounter> counters;
  private final LongSupplier nanoClock;
  private final Map<Integer, StreamListener> listeners = new HashMap<>();
  private volatile long lastFrame;
  private Throwable closeCause;
  private int received;

  StreamDispatcher(DataAddress address, Counters<NetCounter> counters, LongSupplier nanoClock) {
    this.address = address;
    this.counters = counters;
    this.nanoClock = nanoClock;
  }

  /** Silence counts from now on. To be called before anything is sent. */
  void onConnected() {
    lastFrame = nanoClock.getAsLong();
  }

  /** Time since the last frame of any stream, or since the connection was made. For any thread. */
  long silentNanos() {
    return nanoClock.getAsLong() - lastFrame;
  }

  /** Whether any stream waits for frames. */
  boolean isAwaited() {
    return !listeners.isEmpty();
  }

  /** The connection is about to be closed for its silence. */
  void onSilent() {
    counters.increment(NetCounter.CLOSED_SILENT);
    closeCause =
        new VdfsException(
            ErrorCode.UNAVAILABLE,
            "nothing came for " + TimeUnit.NANOSECONDS.toMillis(silentNanos()) + " ms");
  }

  void add(int streamId, StreamListener listener) {
    listeners.put(streamId, listener);
  }

  void remove(int streamId) {
    listeners.remove(streamId);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, Frame frame) {
    lastFrame = nanoClock.getAsLong();
    if (received <= LITTLE) {
      count(context, frame.payload().readableBytes());
    }
    StreamListener listener = listeners.get(frame.streamId());
    if (listener == null) {
      counters.increment(NetCounter.LATE_FRAMES);
      return;
    }
    try {
      listener.onFrame(frame);
    } catch (VdfsException e) {
      counters.increment(NetCounter.CLOSED_PROTOCOL);
      close(context, e);
    }
  }

  private void count(ChannelHandlerContext context, int bytes) {
    received += FRAME + bytes;
    if (received > LITTLE) {
      context.channel().config().setAllocator(DataBuffers.pool());
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    boolean writable = context.channel().isWritable();
    new ArrayList<>(listeners.values())
        .forEach(listener -> listener.onWritabilityChanged(writable));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    List<StreamListener> orphans = new ArrayList<>(listeners.values());
    listeners.clear();
    VdfsException cause = disconnected();
    orphans.forEach(listener -> listener.onDisconnected(cause));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    counters.increment(
        cause instanceof DecoderException
            ? NetCounter.CLOSED_MALFORMED
            : NetCounter.CLOSED_IO_ERROR);
    close(context, cause);
  }

  private void close(ChannelHandlerContext context, Throwable cause) {
    closeCause = cause;
    context.close().addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
  }

  private VdfsException disconnected() {
    String reason = closeCause == null ? "closed by the peer or here" : closeCause.getMessage();
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "connection lost: address=" + address + ", reason=" + reason,
        closeCause);
  }
}

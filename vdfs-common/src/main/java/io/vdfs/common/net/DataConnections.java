package io.vdfs.common.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes connections to data ports and keeps the shared ones, one per address. Thread-safe; never
 * blocks. Host names are looked up off the event loops.
 */
public final class DataConnections implements AutoCloseable {
  private static final WriteBufferWaterMark BACKLOG = new WriteBufferWaterMark(1 << 20, 4 << 20);
  private static final ExecutorService RESOLVER = newResolver();

  private final Duration connectTimeout;
  private final Counters<NetCounter> counters;
  private final Map<DataAddress, CompletableFuture<DataConnection>> shared =
      new ConcurrentHashMap<>();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  public DataConnections(Duration connectTimeout, Counters<NetCounter> counters) {
    this.connectTimeout = connectTimeout;
    this.counters = counters;
  }

  public Counters<NetCounter> counters() {
    return counters;
  }

  /**
   * The connection to {@code address} that many streams share: for requests whose answers are taken
   * up at once. Made anew when the last one broke, or has gone silent: whoever waits for an answer
   * in vain tells {@link DataConnection#onUnanswered}.
   *
   * @return completes exceptionally with a VdfsException UNAVAILABLE if connecting fails
   */
  public CompletableFuture<DataConnection> shared(DataAddress address) {
    return shared.compute(
        address, (key, current) -> current != null && usable(current) ? current : connect(key));
  }

  /**
   * A connection of the caller's own: for pipelines, where either side may stop reading. The caller
   * closes it.
   *
   * @return as with {@link #shared}
   */
  public CompletableFuture<DataConnection> connect(DataAddress address) {
    CompletableFuture<DataConnection> connected = new CompletableFuture<>();
    RESOLVER.execute(() -> connect(address, connected));
    return connected;
  }

  /** Closes all connections; what runs over them fails. */
  @Override
  public void close() {
    channels.close().addListener(closed -> shared.clear());
  }

  private static boolean usable(CompletableFuture<DataConnection> connection) {
    if (!connection.isDone()) {
      return true;
    }
    return !connection.isCompletedExceptionally() && connection.join().isUsable();
  }

  private void connect(DataAddress address, CompletableFuture<DataConnection> connected) {
    StreamDispatcher dispatcher = new StreamDispatcher(address, counters, System::nanoTime);
    ChannelFuture connecting =
        bootstrap(dispatcher).connect(new InetSocketAddress(address.host(), address.port()));
    connecting.addListener(
        done -> {
          if (done.isSuccess()) {
            counters.increment(NetCounter.CONNECTIONS_OPENED);
            channels.add(connecting.channel());
            connected.complete(new DataConnection(connecting.channel(), address, dispatcher));
          } else {
            counters.increment(NetCounter.CONNECTS_FAILED);
            connected.completeExceptionally(unreachable(address, done.cause()));
          }
        });
  }

  private Bootstrap bootstrap(StreamDispatcher dispatcher) {
    return new Bootstrap()
        .group(EventLoops.shared())
        .channelFactory(NumberedChannel::new)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(connectTimeout.toMillis()))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.SO_KEEPALIVE, true)
        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, BACKLOG)
        .option(ChannelOption.ALLOCATOR, DataBuffers.unpooled())
        .option(ChannelOption.RCVBUF_ALLOCATOR, DataBuffers.receiving())
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new FrameDecoder(), FrameEncoder.INSTANCE, dispatcher);
              }
            });
  }

  private VdfsException unreachable(DataAddress address, Throwable cause) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "cannot connect: address=%s, timeout=%s ms, reason=%s"
            .formatted(address, connectTimeout.toMillis(), cause.getMessage()),
        cause);
  }

  private static ExecutorService newResolver() {
    ThreadPoolExecutor resolver =
        new ThreadPoolExecutor(
            2,
            2,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("vdfs-resolve", true));
    resolver.allowCoreThreadTimeOut(true);
    return resolver;
  }
}

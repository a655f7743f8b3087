package io.vdfs.datanode.transfer.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.internal.PlatformDependent;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.net.DataBuffers;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.EventLoops;
import io.vdfs.common.net.FrameDecoder;
import io.vdfs.common.net.FrameEncoder;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.transfer.DataPeers;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.TransferThreads;
import io.vdfs.datanode.transfer.replica.BlockCopies;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data port of a node. Thread-safe.
 *
 * <pre>
 *   start --> LISTENING --close--> CLOSED
 * </pre>
 */
public final class TransferServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TransferServer.class);
  private static final WriteBufferWaterMark BACKLOG = new WriteBufferWaterMark(1 << 20, 4 << 20);
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final TransferContext context;
  private final Deliveries deliveries;
  private final ReadBudget budget;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final PeerShares shares;
  private final InetSocketAddress address;

  private TransferServer(
      TransferContext context, Deliveries deliveries, ReadBudget budget, InetSocketAddress wanted)
      throws VdfsException {
    this.context = context;
    this.deliveries = deliveries;
    this.budget = budget;
    this.shares = new PeerShares(context.settings().peers());
    this.address = bind(wanted);
  }

  /** As the method below, over the socket only, for a node that does not look into doubts. */
  public static TransferServer start(
      InetSocketAddress address,
      DataPeers peers,
      ClusterGeometry geometry,
      BlockStore store,
      StoreReads reads,
      DataConnections connections,
      TransferSettings settings)
      throws VdfsException {
    return start(
        address,
        peers,
        geometry,
        store,
        new DoubtedBlocks(),
        reads,
        Deliveries.NONE,
        connections,
        settings);
  }

  /**
   * Listens for peers.
   *
   * @param address port 0 takes any free one; see {@link #port}
   * @param store not closed here
   * @param doubts is told of blocks that peers found damaged
   * @param reads of {@code store}
   * @param deliveries to the readers on this machine; not closed here
   * @param connections used for the way to the next node of a pipeline; not closed here
   * @throws VdfsException MISCONFIGURED if the port is taken or the chunks do not fit into packets
   */
  public static TransferServer start(
      InetSocketAddress address,
      DataPeers peers,
      ClusterGeometry geometry,
      BlockStore store,
      DoubtedBlocks doubts,
      StoreReads reads,
      Deliveries deliveries,
      DataConnections connections,
      TransferSettings settings)
      throws VdfsException {
    if (geometry.chunkSize() > FrameDescriptor.MAX_PAYLOAD) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "a chunk must fit into a packet: chunkSize=%s, max=%s"
              .formatted(geometry.chunkSize(), FrameDescriptor.MAX_PAYLOAD));
    }
    long directMemory = PlatformDependent.maxDirectMemory();
    ReadBudget readBudget = ReadBudget.within(settings.readBudget(), directMemory);
    if (readBudget.capacity() < settings.readBudget()) {
      LOG.info(
          "less memory for readers than wanted, as there is little: wanted={}, budget={}",
          settings.readBudget(),
          readBudget.capacity());
    }
    TransferContext context =
        new TransferContext(
            peers,
            geometry,
            store,
            doubts,
            reads,
            connections,
            new TransferThreads(settings.diskThreads()),
            settings.withWriteBudget(Math.max(1, (directMemory - readBudget.capacity()) / 2)),
            new Counters<>(TransferCounter.class));
    try {
      return new TransferServer(context, deliveries, readBudget, address);
    } catch (VdfsException e) {
      context.threads().close();
      throw e;
    }
  }

  /** The port it listens at. */
  public int port() {
    return address.getPort();
  }

  public Counters<TransferCounter> counters() {
    return context.counters();
  }

  /** Copies from other nodes into the store; fails once this is closed. */
  public BlockCopies copies() {
    return new BlockCopies(context);
  }

  /** Closes all connections and waits for the blocking work begun. Idempotent. */
  @Override
  public void close() {
    channels.close().awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
    // the first round ends what closes channels, the second what that left behind
    awaitEventLoops();
    awaitEventLoops();
    context.threads().close();
  }

  private static void awaitEventLoops() {
    for (EventExecutor loop : EventLoops.shared()) {
      loop.submit(() -> {}).awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void admit(Channel channel) {
    PeerHost host = PeerHost.of(channel.remoteAddress(), context.settings().peers().unlimited());
    if (!shares.enter(host)) {
      context.counters().increment(TransferCounter.CONNECTIONS_REFUSED);
      channel.close().addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
      return;
    }
    channel.closeFuture().addListener(closed -> shares.leave(host));
    channels.add(channel);
    ServerConnection connection = new ServerConnection(context, deliveries, budget, host);
    FrameDecoder decoder = new FrameDecoder(connection);
    channel.pipeline().addLast(decoder, FrameEncoder.INSTANCE, connection);
    connection.watch(decoder);
  }

  private InetSocketAddress bind(InetSocketAddress wanted) throws VdfsException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(EventLoops.shared())
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, BACKLOG)
            .childOption(ChannelOption.ALLOCATOR, DataBuffers.pool())
            .childOption(ChannelOption.RCVBUF_ALLOCATOR, DataBuffers.receiving())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    admit(channel);
                  }
                })
            .bind(wanted)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot listen for data: vdfs.data.port=%s, address=%s, reason=%s"
              .formatted(wanted.getPort(), wanted.getHostString(), bound.cause().getMessage()),
          bound.cause());
    }
    channels.add(bound.channel());
    return (InetSocketAddress) bound.channel().localAddress();
  }
}

package io.vdfs.datanode.transfer.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.primitives.Bytes;
import com.google.protobuf.MessageLite;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.FrameDecoder;
import io.vdfs.common.net.FrameEncoder;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.fuzz.FuzzContract;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.Peer;
import io.vdfs.datanode.transfer.Requests;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.TransferThreads;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Frames of a peer, as they are, and with right lengths and checks. */
class DataPortFuzzTest extends FuzzContract {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  private static final UUID CLUSTER = new UUID(1, 2);
  private static final NodeId SELF = new NodeId(new UUID(3, 4));
  private static final byte AS_THEY_ARE = 0;
  private static final byte SEALED = 1;

  private static final int LIMIT_SECONDS = 10;
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static final EventLoopGroup LOOPS =
      new DefaultEventLoopGroup(2, new DefaultThreadFactory("vdfs-fuzz", true));
  private static final TransferThreads THREADS = new TransferThreads(2);
  private static final DataConnections CONNECTIONS =
      new DataConnections(Duration.ofSeconds(2), new Counters<>(NetCounter.class));

  private final Requests requests = new Requests(CLUSTER, SELF, new FileKey(77, 3), 512);
  private final InMemoryBlockStore store = new InMemoryBlockStore(GEOMETRY);
  private int epoch = 1;

  @Override
  protected List<byte[]> seeds() {
    byte[] chunk = new byte[512];
    byte[] written =
        Bytes.concat(
            sealed(FrameType.WRITE_OPEN, 1, requests.open(epoch++), new byte[0]),
            sealed(FrameType.WRITE_PACKET, 1, requests.packet(0, 0, chunk), chunk));
    return List.of(
        Bytes.concat(new byte[] {SEALED}, written),
        one(FrameType.READ_REQUEST, requests.read(0, 100)),
        one(FrameType.REPLICA_REQUEST, requests.visibleLength()),
        one(FrameType.REPLICA_REQUEST, requests.digests(512)),
        one(FrameType.LOCAL_REQUEST, requests.readByOneself(0, 100)),
        Bytes.concat(
            new byte[] {AS_THEY_ARE},
            Peer.frame(FrameType.READ_REQUEST, 1, requests.read(0, 100), new byte[0])));
  }

  private static byte[] one(FrameType type, MessageLite header) {
    return Bytes.concat(new byte[] {SEALED}, sealed(type, 1, header, new byte[0]));
  }

  /** Type, stream, two bytes of each length, header and payload. */
  private static byte[] sealed(FrameType type, int stream, MessageLite header, byte[] payload) {
    byte[] bytes = header.toByteArray();
    return ByteBuffer.allocate(6 + bytes.length + payload.length)
        .put(type.code())
        .put((byte) stream)
        .putShort((short) bytes.length)
        .putShort((short) payload.length)
        .put(bytes)
        .put(payload)
        .array();
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    byte[] rest = Arrays.copyOfRange(input, Math.min(1, input.length), input.length);
    TransferContext context =
        new TransferContext(
            TestPeers.alone(CLUSTER, SELF),
            GEOMETRY,
            store,
            new DoubtedBlocks(),
            store,
            CONNECTIONS,
            THREADS,
            TransferSettings.DEFAULT,
            new Counters<>(TransferCounter.class));
    byte[] bytes = input.length > 0 && input[0] == SEALED ? frames(rest) : rest;
    CompletableFuture<Channel> accepted = new CompletableFuture<>();
    LocalAddress address = new LocalAddress("fuzz" + NUMBERS.incrementAndGet());
    Channel listening = listen(address, context, accepted);
    Channel peer =
        new Bootstrap()
            .group(LOOPS)
            .channel(LocalChannel.class)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(address)
            .syncUninterruptibly()
            .channel();
    Channel server = accepted.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    peer.writeAndFlush(Unpooled.wrappedBuffer(bytes)).awaitUninterruptibly();
    peer.close().syncUninterruptibly();
    assertTrue(
        server.closeFuture().await(LIMIT_SECONDS, TimeUnit.SECONDS), "it ends with its peer");
    listening.close().syncUninterruptibly();
    assertEquals(0, context.counters().get(TransferCounter.CLOSED_IO_ERROR), "a defect");
  }

  private static Channel listen(
      LocalAddress address, TransferContext context, CompletableFuture<Channel> accepted) {
    return new ServerBootstrap()
        .group(LOOPS)
        .channel(LocalServerChannel.class)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                PeerHost host = PeerHost.of(channel.remoteAddress(), ip -> false);
                ServerConnection connection =
                    new ServerConnection(context, Deliveries.NONE, new ReadBudget(1 << 20), host);
                FrameDecoder decoder = new FrameDecoder(connection);
                channel.pipeline().addLast(decoder, FrameEncoder.INSTANCE, connection);
                connection.watch(decoder);
                accepted.complete(channel);
              }
            })
        .bind(address)
        .syncUninterruptibly()
        .channel();
  }

  private static byte[] frames(byte[] script) {
    ByteBuffer from = ByteBuffer.wrap(script);
    byte[] frames = new byte[0];
    while (from.remaining() >= 6) {
      byte type = from.get();
      int stream = from.get();
      int header = Math.min(Short.toUnsignedInt(from.getShort()), from.remaining() - Short.BYTES);
      int payload =
          Math.min(Short.toUnsignedInt(from.getShort()), Math.max(0, from.remaining() - header));
      frames = Bytes.concat(frames, frame(type, stream, header, payload, from));
    }
    return frames;
  }

  private static byte[] frame(byte type, int stream, int header, int payload, ByteBuffer from) {
    int size = FrameDescriptor.FIXED_SIZE + header + payload;
    byte[] start = new byte[header];
    from.get(start);
    byte[] end = new byte[payload];
    from.get(end);
    ByteBuffer frame = ByteBuffer.allocate(size).putInt(size - FrameDescriptor.VERSION_OFFSET);
    frame.put((byte) FrameDescriptor.VERSION).put(type).putShort((short) header).putInt(stream);
    frame.putInt(FrameDescriptor.check(frame.duplicate().flip(), ByteBuffer.wrap(start)));
    return frame.put(start).put(end).array();
  }
}

package io.vdfs.datanode.transfer.write;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.transfer.TransferContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The way from one pipeline stage to the next node, on a connection of its own. State is confined
 * to the stage's event loop; what arrives on the connection's own loop is handed over.
 */
final class DownstreamLink implements StreamListener {
  /** Hears of the next node on the stage's event loop. */
  interface Listener {
    void onDownstreamReady();

    void onDownstreamAcknowledged(long sequence);

    void onDownstreamWritable();

    /**
     * @param culprit the next node, or one behind it that was named
     */
    void onDownstreamFailed(VdfsException failure, NodeId culprit);
  }

  private static final long READY = -1;
  private static final long CHECKS_PER_LIMIT = 8;

  private final EventExecutor loop;
  private final Listener listener;
  private final List<NodeId> nodes;
  private final Duration limit;
  private final WriteOpen request;
  private final CompletableFuture<DataConnection> connecting;
  private final ScheduledFuture<?> watch;
  private DataStream stream;
  private boolean ready;
  private boolean closed;
  private long sent = READY;
  private long acknowledged = READY;
  private long lastProgress;

  private DownstreamLink(
      TransferContext context,
      EventExecutor loop,
      Listener listener,
      WriteOpen upstream,
      List<NodeId> nodes,
      CompletableFuture<DataConnection> connecting) {
    this.loop = loop;
    this.listener = listener;
    this.nodes = nodes;
    this.limit = context.settings().limitFor(nodes.size() - 1);
    this.request =
        upstream.toBuilder()
            .setNode(WireIds.encode(nodes.get(0)))
            .setPrimary(false)
            .clearDownstream()
            .addAllDownstream(upstream.getDownstreamList().subList(1, nodes.size()))
            .build();
    this.lastProgress = System.nanoTime();
    this.connecting = connecting;
    long period = Math.max(1, limit.toNanos() / CHECKS_PER_LIMIT);
    this.watch =
        loop.scheduleWithFixedDelay(this::checkProgress, period, period, TimeUnit.NANOSECONDS);
  }

  /**
   * Begins to open the rest of a pipeline.
   *
   * @param upstream the request to this node; it names at least one node downstream
   * @throws VdfsException INVALID_ARGUMENT for an impossible id
   */
  static DownstreamLink open(
      TransferContext context, EventExecutor loop, Listener listener, WriteOpen upstream)
      throws VdfsException {
    List<NodeId> nodes = new ArrayList<>();
    for (ByteString node : upstream.getDownstreamList()) {
      nodes.add(WireIds.nodeId(node));
    }
    DownstreamLink link =
        new DownstreamLink(
            context, loop, listener, upstream, nodes, connect(context, nodes.get(0)));
    var unused =
        link.connecting.whenComplete(
            (connection, failure) -> loop.execute(() -> link.onConnected(connection, failure)));
    return link;
  }

  private static CompletableFuture<DataConnection> connect(TransferContext context, NodeId next) {
    try {
      return context.connections().connect(context.peers().address(next));
    } catch (VdfsException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  boolean isWritable() {
    return stream == null || stream.isWritable();
  }

  /**
   * @param data the reference is taken over
   */
  void forward(WritePacket packet, ByteBuf data) {
    if (sent == acknowledged) {
      lastProgress = System.nanoTime();
    }
    sent = packet.getSequence();
    stream.send(FrameType.WRITE_PACKET, packet, data);
  }

  /** Closes the connection, made or not; the next node then gives its stage up. Idempotent. */
  void close() {
    closed = true;
    watch.cancel(false);
    var unused = connecting.thenAccept(DataConnection::close);
  }

  private void onConnected(DataConnection connection, Throwable failure) {
    if (closed) {
      return;
    }
    if (failure == null) {
      stream = connection.open(this);
      stream.send(FrameType.WRITE_OPEN, request);
    } else if (failure instanceof VdfsException known) {
      fail(known, nodes.get(0));
    } else {
      fail(
          new VdfsException(ErrorCode.UNAVAILABLE, "cannot connect: " + failure, failure),
          nodes.get(0));
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.WRITE_ACK) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a pipeline answers with acknowledgements: frame=" + frame);
    }
    WriteAck ack = frame.header(WriteAck.parser());
    loop.execute(() -> onAck(ack));
  }

  @Override
  public void onWritabilityChanged(boolean writable) {
    if (writable) {
      loop.execute(
          () -> {
            if (!closed) {
              listener.onDownstreamWritable();
            }
          });
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    loop.execute(() -> fail(cause, nodes.get(0)));
  }

  private void onAck(WriteAck ack) {
    if (closed) {
      return;
    }
    if (ack.hasError()) {
      fail(WireIds.exception(ack.getError()), culpritOf(ack));
    } else if (!ready && ack.getSequence() == READY) {
      ready = true;
      lastProgress = System.nanoTime();
      listener.onDownstreamReady();
    } else if (!ready || ack.getSequence() <= acknowledged || ack.getSequence() > sent) {
      fail(
          new VdfsException(
              ErrorCode.INTERNAL,
              "acknowledged what was not sent: sequence=" + ack.getSequence() + ", sent=" + sent),
          nodes.get(0));
    } else {
      acknowledged = ack.getSequence();
      lastProgress = System.nanoTime();
      listener.onDownstreamAcknowledged(acknowledged);
    }
  }

  /** Only a node that is really downstream can be to blame there. */
  private NodeId culpritOf(WriteAck ack) {
    for (NodeId node : nodes) {
      if (WireIds.encode(node).equals(ack.getFailedNode())) {
        return node;
      }
    }
    return nodes.get(0);
  }

  private void checkProgress() {
    boolean waiting = !ready || acknowledged < sent;
    if (waiting && System.nanoTime() - lastProgress >= limit.toNanos()) {
      fail(
          new VdfsException(
              ErrorCode.UNAVAILABLE,
              "no acknowledgement in time: sent=%s, acknowledged=%s, ready=%s, limit=%s ms"
                  .formatted(sent, acknowledged, ready, limit.toMillis())),
          nodes.get(0));
    }
  }

  private void fail(VdfsException failure, NodeId culprit) {
    if (!closed) {
      close();
      listener.onDownstreamFailed(failure, culprit);
    }
  }
}

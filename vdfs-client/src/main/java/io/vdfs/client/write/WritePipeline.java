package io.vdfs.client.write;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.concurrent.Causes;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The stream of one write epoch of one group, on a connection of its own. Methods are for the
 * owner; events of the network go to the owner's mailbox.
 */
final class WritePipeline implements StreamListener {
  private static final long READY = -1;

  /** What the network tells the owner of a pipeline. */
  sealed interface Event {
    WritePipeline pipeline();

    /** Every node is ready for packets. */
    record Ready(WritePipeline pipeline) implements Event {}

    /** Every node has everything up to {@code sequence}. */
    record Acknowledged(WritePipeline pipeline, long sequence) implements Event {}

    /**
     * The pipeline is broken.
     *
     * @param culprit the failed node, if a node behind the first one was named
     */
    record Failed(WritePipeline pipeline, VdfsException error, Optional<NodeId> culprit)
        implements Event {}

    /** Another thread gives the writer up. */
    record Aborted() implements Event {
      @Override
      public WritePipeline pipeline() {
        return null;
      }
    }
  }

  private final Consumer<Event> mailbox;
  private final CompletableFuture<DataConnection> connecting;
  private volatile DataStream stream;

  private WritePipeline(CompletableFuture<DataConnection> connecting, Consumer<Event> mailbox) {
    this.connecting = connecting;
    this.mailbox = mailbox;
  }

  /**
   * Connects to the first node and asks it to open the pipeline; {@code mailbox} hears the rest.
   */
  static WritePipeline open(
      ClientIo io, ReplicaNode first, WriteOpen request, Consumer<Event> mailbox) {
    WritePipeline pipeline = new WritePipeline(io.connections().connect(first.address()), mailbox);
    var unused =
        pipeline.connecting.whenComplete(
            (connection, failure) -> pipeline.onConnected(connection, failure, request));
    return pipeline;
  }

  /** Sends a packet; the pipeline must be ready. The packet keeps its reference. */
  void send(Packet packet, long sequence) {
    stream.send(FrameType.WRITE_PACKET, packet.header(sequence), packet.data().retainedSlice());
  }

  /** Closes the connection, made or not; every node then gives the pipeline up. */
  void close() {
    var unused = connecting.thenAccept(DataConnection::close);
  }

  private void onConnected(DataConnection connection, Throwable failure, WriteOpen request) {
    if (failure == null) {
      stream = connection.open(this);
      stream.send(FrameType.WRITE_OPEN, request);
    } else {
      fail(Causes.asVdfs(failure), Optional.empty());
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.WRITE_ACK) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a pipeline answers with acknowledgements: frame=" + frame);
    }
    WriteAck ack = frame.header(WriteAck.parser());
    if (ack.hasError()) {
      Optional<NodeId> culprit =
          ack.getFailedNode().isEmpty()
              ? Optional.empty()
              : Optional.of(WireIds.nodeId(ack.getFailedNode()));
      fail(WireIds.exception(ack.getError()), culprit);
    } else if (ack.getSequence() == READY) {
      mailbox.accept(new Event.Ready(this));
    } else {
      mailbox.accept(new Event.Acknowledged(this, ack.getSequence()));
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    fail(cause, Optional.empty());
  }

  private void fail(VdfsException error, Optional<NodeId> culprit) {
    mailbox.accept(new Event.Failed(this, error, culprit));
  }
}

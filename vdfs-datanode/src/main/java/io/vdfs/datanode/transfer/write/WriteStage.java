package io.vdfs.datanode.transfer.write;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.Frame;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import java.util.concurrent.CompletableFuture;

/**
 * This node's stage of a write pipeline: verifies each packet, forwards it while writing it, and
 * acknowledges it once both its own write and everything downstream are done, or later where the
 * store has no room for more yet. While the disk or the next node is behind, the connection is not
 * read. Confined to the connection's event loop.
 *
 * <pre>
 *   OPENING --writer open and downstream ready--> STREAMING --last acknowledged--> ENDED
 *      |\--failure---------------------------------\--failure--> FAILED (drops packets)
 *      |                                             |             |
 *      \--upstream gone-----------------------------\-------------\--> GIVEN_UP --writer gone--> ENDED
 * </pre>
 */
public final class WriteStage
    implements ServerStream, StageWriter.Listener, DownstreamLink.Listener {
  private static final long READY = -1;
  private static final long NOTHING = -2;

  private enum State {
    OPENING,
    STREAMING,
    /** The error was sent; the writer may not know yet. */
    FAILED,
    /** The disk may still be at work. */
    GIVEN_UP,
    ENDED
  }

  private final TransferContext context;
  private final Outlet upstream;
  private final StageWriter writer;
  private State state = State.OPENING;
  private DownstreamLink downstream;
  private PacketCheck check;
  private long written = NOTHING;
  private long acknowledgedDownstream = NOTHING;
  private long acknowledged = NOTHING;
  private long lastSequence = Long.MAX_VALUE;
  private long backlog;
  private boolean writerGone;

  public WriteStage(TransferContext context, Outlet upstream) {
    this.context = context;
    this.upstream = upstream;
    this.writer = new StageWriter(context.store(), context.threads().disk(), upstream.loop(), this);
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    WriteOpen request = frame.header(WriteOpen.parser());
    checkLength(request);
    check = PacketCheck.of(context.geometry(), request);
    FileKey file = WireIds.fileKey(request.getFile());
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
      requireTicket(file, request);
    } catch (VdfsException e) {
      fail(e, context.self());
      return;
    }
    if (request.getDownstreamCount() == 0) {
      acknowledgedDownstream = Long.MAX_VALUE;
    } else {
      downstream = DownstreamLink.open(context, upstream.loop(), this, request);
    }
    writer.open(file, request);
    context.counters().increment(TransferCounter.PIPELINES_OPENED);
  }

  private void requireTicket(FileKey file, WriteOpen request) throws VdfsException {
    try {
      context.peers().tickets().require(request.getTicket(), file, request.getWriteEpoch());
    } catch (VdfsException e) {
      context.counters().increment(TransferCounter.TICKETS_REFUSED);
      throw e;
    }
  }

  private static void checkLength(WriteOpen request) throws VdfsException {
    int nodes = 1 + request.getDownstreamCount();
    if (nodes > RingMap.MAX_ARC_MEMBERS) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a pipeline has no more nodes than an arc: nodes=%s, max=%s"
              .formatted(nodes, RingMap.MAX_ARC_MEMBERS));
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (state == State.FAILED) {
      return;
    }
    if (state != State.STREAMING) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "the pipeline takes no packets: state=" + state);
    }
    WritePacket packet = frame.header(WritePacket.parser());
    check.accept(packet, frame.payload().readableBytes());
    VerifiedChunks chunks;
    try {
      chunks = check.verify(packet, frame.payload());
    } catch (VdfsException e) {
      context.counters().increment(TransferCounter.CORRUPT_PACKETS);
      fail(e, context.self());
      return;
    }
    context.counters().add(TransferCounter.SUMMED_CHUNKS, chunks.checksums().count());
    take(packet, frame, chunks);
  }

  private void take(WritePacket packet, Frame frame, VerifiedChunks chunks) {
    if (packet.getLast()) {
      lastSequence = packet.getSequence();
    }
    if (downstream != null) {
      downstream.forward(packet, frame.payload().retainedDuplicate());
    }
    backlog += chunks.length();
    context.counters().add(TransferCounter.WRITE_BACKLOG_BYTES, chunks.length());
    ByteBuf payload = frame.payload().retain();
    writer.write(packet, chunks, () -> release(payload, chunks.length()));
    updateReading();
  }

  private void release(ByteBuf payload, int bytes) {
    payload.release();
    context.counters().add(TransferCounter.WRITE_BACKLOG_BYTES, -bytes);
  }

  @Override
  public void onWritabilityChanged() {
    // acknowledgements are few and small: they are never held back
  }

  @Override
  public void onGone() {
    if (state == State.OPENING || state == State.STREAMING) {
      context.counters().increment(TransferCounter.PIPELINES_ABANDONED);
      state = State.GIVEN_UP;
      upstream.pauseReading(false);
      release();
    } else if (state == State.FAILED) {
      state = State.GIVEN_UP;
      endIfOver();
    }
  }

  @Override
  public void onWriterGone() {
    writerGone = true;
    endIfOver();
  }

  private void endIfOver() {
    if (state == State.GIVEN_UP && writerGone) {
      state = State.ENDED;
      upstream.end();
    }
  }

  @Override
  public void onWriterOpen() {
    written = READY;
    acknowledge();
  }

  @Override
  public void onWritten(long sequence, int bytes, CompletableFuture<Void> room) {
    backlog -= bytes;
    context.counters().add(TransferCounter.BYTES_WRITTEN, bytes);
    if (room.isDone()) {
      onMayAcknowledge(sequence);
    } else {
      // what follows is read meanwhile: it may ask for a flush, which answers this one too
      var unused = room.thenRunAsync(() -> onMayAcknowledge(sequence), upstream.loop());
    }
    updateReading();
  }

  private void onMayAcknowledge(long sequence) {
    written = Math.max(written, sequence);
    acknowledge();
  }

  @Override
  public void onWriteFailed(VdfsException failure) {
    fail(failure, context.self());
  }

  @Override
  public void onDownstreamReady() {
    onDownstreamAcknowledged(READY);
  }

  @Override
  public void onDownstreamAcknowledged(long sequence) {
    acknowledgedDownstream = sequence;
    acknowledge();
  }

  @Override
  public void onDownstreamWritable() {
    updateReading();
  }

  @Override
  public void onDownstreamFailed(VdfsException failure, NodeId culprit) {
    fail(failure, culprit);
  }

  private void acknowledge() {
    long both = Math.min(written, acknowledgedDownstream);
    if (both <= acknowledged || isOver()) {
      return;
    }
    acknowledged = both;
    state = State.STREAMING;
    upstream.send(FrameType.WRITE_ACK, WriteAck.newBuilder().setSequence(both).build());
    if (both == lastSequence) {
      context.counters().increment(TransferCounter.PIPELINES_FINISHED);
      state = State.ENDED;
      closeDownstream();
      upstream.end();
    }
  }

  private boolean isOver() {
    return state != State.OPENING && state != State.STREAMING;
  }

  private void updateReading() {
    if (state == State.STREAMING) {
      // what this pipeline has in hand will be written, and then this is looked at again
      int most = isCrowded() ? FrameDescriptor.MAX_PAYLOAD - 1 : Integer.MAX_VALUE;
      boolean behind = backlog > Math.min(most, context.settings().pipelineBacklog());
      boolean blocked = downstream != null && !downstream.isWritable();
      upstream.pauseReading(behind || blocked);
    }
  }

  private boolean isCrowded() {
    return context.counters().get(TransferCounter.WRITE_BACKLOG_BYTES)
        > context.settings().writeBudget();
  }

  private void fail(VdfsException failure, NodeId culprit) {
    if (isOver()) {
      return;
    }
    state = State.FAILED;
    context.counters().increment(TransferCounter.PIPELINES_FAILED);
    release();
    upstream.pauseReading(false);
    upstream.send(
        FrameType.WRITE_ACK,
        WriteAck.newBuilder()
            .setSequence(Math.max(READY, acknowledged))
            .setError(WireIds.encode(failure))
            .setFailedNode(WireIds.encode(culprit))
            .build());
  }

  private void release() {
    writer.abandon();
    closeDownstream();
  }

  private void closeDownstream() {
    if (downstream != null) {
      downstream.close();
    }
  }
}

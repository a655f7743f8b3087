package io.vdfs.client.io;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.shm.RingLayout;
import io.vdfs.common.shm.SlotTable;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.RingAttach;
import io.vdfs.common.wire.proto.RingSegment;
import java.util.concurrent.CompletableFuture;

/**
 * Asks for the ring of a connection and watches for the end of both. Thread-safe; its state changes
 * on the connection's event loop only.
 */
final class RingAttachment implements StreamListener {
  private final Runnable onEnded;
  private final CompletableFuture<Ring> ring = new CompletableFuture<>();

  /**
   * @param onEnded called when there is no ring, or no more
   */
  RingAttachment(Runnable onEnded) {
    this.onEnded = onEnded;
  }

  CompletableFuture<Ring> ring() {
    return ring;
  }

  /** The stream stays open after the answer, to hear of the connection's end. */
  void start(DataConnection connection, RingAttach request) {
    DataStream stream = connection.open(this);
    var unused = ring.whenComplete((made, failure) -> endAfter(failure, stream));
    stream.send(FrameType.RING_ATTACH, request);
  }

  private void endAfter(Throwable failure, DataStream stream) {
    if (failure != null) {
      stream.end();
      onEnded.run();
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.RING_SEGMENT || ring.isDone()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "this request is answered with one segment: frame=" + frame);
    }
    RingSegment segment = frame.header(RingSegment.parser());
    if (segment.hasError()) {
      ring.completeExceptionally(WireIds.exception(segment.getError()));
      return;
    }
    RingLayout layout = RingLayout.ofPeer(segment.getSlots(), segment.getSlotBytes());
    ring.complete(new Ring(segment.getPath(), layout, new SlotTable(layout)));
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    if (!ring.completeExceptionally(cause)) {
      onEnded.run();
    }
  }
}

package io.vdfs.client.delivery.segment;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.segment.SegmentLayout;
import io.vdfs.common.segment.SlotTable;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentOffer;
import java.util.concurrent.CompletableFuture;

/**
 * Asks for the segment of a connection and watches for the end of both. Thread-safe; its state
 * changes on the connection's event loop only.
 */
final class SegmentAttachment implements StreamListener {
  private final Runnable onEnded;
  private final CompletableFuture<AttachedSegment> segment = new CompletableFuture<>();

  /**
   * @param onEnded called when there is no segment, or no more
   */
  SegmentAttachment(Runnable onEnded) {
    this.onEnded = onEnded;
  }

  CompletableFuture<AttachedSegment> segment() {
    return segment;
  }

  /** The stream stays open after the answer, to hear of the connection's end. */
  void start(DataConnection connection, SegmentAttach request) {
    DataStream stream = connection.open(this);
    var unused = segment.whenComplete((made, failure) -> endAfter(failure, stream));
    stream.send(FrameType.SEGMENT_ATTACH, request);
  }

  private void endAfter(Throwable failure, DataStream stream) {
    if (failure != null) {
      stream.end();
      onEnded.run();
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.SEGMENT_OFFER || segment.isDone()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "this request is answered with one segment: frame=" + frame);
    }
    SegmentOffer offer = frame.header(SegmentOffer.parser());
    if (offer.hasError()) {
      segment.completeExceptionally(WireIds.exception(offer.getError()));
      return;
    }
    SegmentLayout layout = SegmentLayout.ofPeer(offer.getSlots(), offer.getSlotBytes());
    segment.complete(new AttachedSegment(offer.getPath(), layout, new SlotTable(layout)));
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    if (!segment.completeExceptionally(cause)) {
      onEnded.run();
    }
  }
}

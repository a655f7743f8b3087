package io.vdfs.datanode.segment;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentOffer;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * Answers one request for the segment of a connection. Confined to the connection's event loop,
 * except for the making of the segment, which runs on a thread that may block.
 */
final class SegmentStream implements ServerStream {
  private final TransferContext context;
  private final Outlet outlet;
  private final Optional<SegmentSession> session;
  private boolean gone;

  /**
   * @param session of the connection; empty if the peer is not on this machine or there is no
   *     segment
   */
  SegmentStream(TransferContext context, Outlet outlet, Optional<SegmentSession> session) {
    this.context = context;
    this.outlet = outlet;
    this.session = session;
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    SegmentAttach request = frame.header(SegmentAttach.parser());
    if (session.isEmpty()) {
      send(refusal(notHere()));
      return;
    }
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
      context.threads().reads().execute(() -> makeFor(session.get()));
    } catch (VdfsException e) {
      send(refusal(e));
    } catch (RejectedExecutionException e) {
      send(refusal(new VdfsException(ErrorCode.UNSUPPORTED, "too much work waits", e)));
    }
  }

  /** The error for a reader that cannot have a segment. */
  static VdfsException notHere() {
    return new VdfsException(
        ErrorCode.UNSUPPORTED,
        "no segment delivery: the node has none, or the reader is not on its machine");
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    throw new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "a request for a segment takes no further frames: frame=" + frame);
  }

  @Override
  public void onWritabilityChanged() {
    // one small answer is never held back
  }

  @Override
  public void onGone() {
    gone = true;
  }

  private void makeFor(SegmentSession here) {
    SegmentOffer answer = answer(here);
    outlet.loop().execute(() -> send(answer));
  }

  private static SegmentOffer answer(SegmentSession here) {
    try {
      return SegmentOffer.newBuilder()
          .setPath(here.open().toString())
          .setSlots(here.layout().slots())
          .setSlotBytes(here.layout().slotBytes())
          .build();
    } catch (VdfsException | RuntimeException | Error e) {
      return refusal(Causes.asVdfs(e));
    }
  }

  private static SegmentOffer refusal(VdfsException failure) {
    return SegmentOffer.newBuilder().setError(WireIds.encode(failure)).build();
  }

  private void send(SegmentOffer answer) {
    if (!gone) {
      outlet.send(FrameType.SEGMENT_OFFER, answer);
    }
    outlet.end();
  }
}

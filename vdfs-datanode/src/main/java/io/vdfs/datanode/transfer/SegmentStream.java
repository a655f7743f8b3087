package io.vdfs.datanode.transfer;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.RingAttach;
import io.vdfs.common.wire.proto.RingSegment;
import io.vdfs.datanode.shm.RingSession;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * Answers one request for the segment of a connection. Confined to the connection's event loop, but
 * for the making of the segment, which runs on a thread that may block.
 */
final class SegmentStream implements ServerStream {
  private final TransferContext context;
  private final Outlet outlet;
  private final Optional<RingSession> session;
  private boolean gone;

  /**
   * @param session of the connection; empty if the peer is not on this machine or there is no ring
   */
  SegmentStream(TransferContext context, Outlet outlet, Optional<RingSession> session) {
    this.context = context;
    this.outlet = outlet;
    this.session = session;
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT for a request no sound reader sends
   */
  void open(Frame frame) throws VdfsException {
    RingAttach request = frame.header(RingAttach.parser());
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

  /** What a reader hears that cannot have a segment. */
  static VdfsException notHere() {
    return new VdfsException(
        ErrorCode.UNSUPPORTED,
        "no ring delivery: the node has none, or the reader is not on its machine");
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

  private void makeFor(RingSession here) {
    RingSegment answer = answer(here);
    outlet.loop().execute(() -> send(answer));
  }

  private static RingSegment answer(RingSession here) {
    try {
      return RingSegment.newBuilder()
          .setPath(here.open().toString())
          .setSlots(here.layout().slots())
          .setSlotBytes(here.layout().slotBytes())
          .build();
    } catch (VdfsException | RuntimeException | Error e) {
      return refusal(Causes.asVdfs(e));
    }
  }

  private static RingSegment refusal(VdfsException failure) {
    return RingSegment.newBuilder().setError(WireIds.encode(failure)).build();
  }

  private void send(RingSegment answer) {
    if (!gone) {
      outlet.send(FrameType.RING_SEGMENT, answer);
    }
    outlet.end();
  }
}

package io.vdfs.datanode.segment;

import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.PeerDelivery;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * Segment delivery to one peer, whose segment begins when it asks where it is. Confined to the
 * connection's event loop.
 */
public final class SegmentPeerDelivery implements PeerDelivery {
  private final TransferContext context;
  private final Optional<SegmentDelivery> delivery;
  private final BooleanSupplier here;
  private Optional<SegmentSession> session = Optional.empty();

  /**
   * @param delivery empty where there is no shared memory
   * @param here whether the peer is on this machine
   */
  public SegmentPeerDelivery(
      TransferContext context, Optional<SegmentDelivery> delivery, BooleanSupplier here) {
    this.context = context;
    this.delivery = delivery;
    this.here = here;
  }

  @Override
  public boolean answers(FrameType request) {
    return request == FrameType.SEGMENT_ATTACH || request == FrameType.SEGMENT_REQUEST;
  }

  @Override
  public ServerStream begin(FrameType request, Outlet outlet) {
    if (request == FrameType.SEGMENT_REQUEST) {
      return new FillStream(context, outlet, delivery, session);
    }
    if (session.isEmpty() && here.getAsBoolean()) {
      session = delivery.map(SegmentDelivery::begin);
    }
    return new SegmentStream(context, outlet, session);
  }

  @Override
  public boolean isUsed() {
    return session.isPresent();
  }

  @Override
  public void end() {
    session.ifPresent(this::end);
  }

  /** The segment is removed off the event loop, but where that is overloaded. */
  private void end(SegmentSession ended) {
    try {
      context.threads().reads().execute(ended::close);
    } catch (RejectedExecutionException e) {
      ended.close();
    }
  }
}

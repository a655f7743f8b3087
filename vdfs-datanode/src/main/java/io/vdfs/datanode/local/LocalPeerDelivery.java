package io.vdfs.datanode.local;

import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.PeerDelivery;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Local delivery to one peer, whose session begins with its first request. Confined to the
 * connection's event loop.
 */
public final class LocalPeerDelivery implements PeerDelivery {
  private final TransferContext context;
  private final Optional<LocalDelivery> delivery;
  private final BooleanSupplier here;
  private Optional<LocalSession> session = Optional.empty();

  /**
   * @param delivery empty where no grants are given
   * @param here whether the peer is on this machine
   */
  public LocalPeerDelivery(
      TransferContext context, Optional<LocalDelivery> delivery, BooleanSupplier here) {
    this.context = context;
    this.delivery = delivery;
    this.here = here;
  }

  @Override
  public boolean answers(FrameType request) {
    return request == FrameType.LOCAL_REQUEST;
  }

  @Override
  public ServerStream begin(FrameType request, Outlet outlet) {
    if (session.isEmpty() && here.getAsBoolean()) {
      session = delivery.map(LocalDelivery::open);
    }
    return new GrantStream(context, outlet, delivery, session);
  }

  @Override
  public boolean isUsed() {
    return session.isPresent();
  }

  @Override
  public void end() {
    session.ifPresent(this::end);
  }

  /** Names are taken back off the event loop, unless local delivery is overloaded. */
  private void end(LocalSession ended) {
    if (!delivery.orElseThrow().execute(ended::close)) {
      ended.close();
    }
  }
}

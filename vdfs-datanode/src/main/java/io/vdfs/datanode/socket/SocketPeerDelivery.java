package io.vdfs.datanode.socket;

import io.vdfs.common.wire.FrameType;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.PeerDelivery;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;

/** Socket delivery to one peer, wherever it is. Immutable. */
public final class SocketPeerDelivery implements PeerDelivery {
  private final TransferContext context;

  public SocketPeerDelivery(TransferContext context) {
    this.context = context;
  }

  @Override
  public boolean answers(FrameType request) {
    return request == FrameType.READ_REQUEST;
  }

  @Override
  public ServerStream begin(FrameType request, Outlet outlet) {
    return new ReadStream(context, outlet);
  }

  @Override
  public boolean isUsed() {
    return false;
  }

  @Override
  public void end() {
    // its streams share nothing
  }
}

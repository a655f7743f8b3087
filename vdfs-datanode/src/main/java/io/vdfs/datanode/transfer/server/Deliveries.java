package io.vdfs.datanode.transfer.server;

import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.local.LocalPeerDelivery;
import io.vdfs.datanode.segment.SegmentDelivery;
import io.vdfs.datanode.segment.SegmentPeerDelivery;
import io.vdfs.datanode.socket.SocketPeerDelivery;
import io.vdfs.datanode.transfer.PeerDelivery;
import io.vdfs.datanode.transfer.TransferContext;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * All deliveries: those to readers on this machine, and the socket. Immutable; they are closed by
 * the code that opened them.
 *
 * @param local empty where no reader reads block files by itself
 * @param segments empty where there is no shared memory
 */
public record Deliveries(Optional<LocalDelivery> local, Optional<SegmentDelivery> segments) {
  /** The socket only. */
  public static final Deliveries NONE = new Deliveries(Optional.empty(), Optional.empty());

  /**
   * The deliveries of a new connection; they end in this order.
   *
   * @param here whether the peer is on this machine
   */
  List<PeerDelivery> begin(TransferContext context, BooleanSupplier here) {
    return List.of(
        new LocalPeerDelivery(context, local, here),
        new SegmentPeerDelivery(context, segments, here),
        new SocketPeerDelivery(context));
  }
}

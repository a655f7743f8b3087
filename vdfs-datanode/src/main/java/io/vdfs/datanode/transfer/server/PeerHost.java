package io.vdfs.datanode.transfer.server;

import com.google.protobuf.ByteString;
import io.vdfs.datanode.stream.StoreReads;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Predicate;

/**
 * Where a peer connects from, as shares are counted. Immutable.
 *
 * @param network the address, or of IPv6 the part that one site has to itself
 * @param limited whether the host has a share: this machine and the hosts of the ring have none, as
 *     the tasks of jobs run there
 */
record PeerHost(ByteString network, boolean limited) implements StoreReads.Host {
  private static final int SITE_BYTES = 8;

  /**
   * @param unlimited tells hosts of the ring; asked on the event loop
   */
  static PeerHost of(SocketAddress peer, Predicate<InetAddress> unlimited) {
    if (!(peer instanceof InetSocketAddress address) || address.isUnresolved()) {
      return new PeerHost(ByteString.EMPTY, true);
    }
    InetAddress ip = address.getAddress();
    byte[] bytes = ip.getAddress();
    return new PeerHost(
        ByteString.copyFrom(bytes, 0, Math.min(bytes.length, SITE_BYTES)),
        !PeerPlace.isHere(peer) && !unlimited.test(ip));
  }
}

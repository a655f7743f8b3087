package io.vdfs.datanode.transfer.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;

/**
 * Whether a peer runs on this machine: it does if it connects from a loopback address or from one
 * of this machine's own. A process in a container with a network of its own does not count, and one
 * that reaches us through this machine's address translation counts although it may not see our
 * files; it then finds nothing under the names it is told.
 */
final class PeerPlace {
  private PeerPlace() {}

  static boolean isHere(SocketAddress peer) {
    if (!(peer instanceof InetSocketAddress address) || address.isUnresolved()) {
      return false;
    }
    InetAddress ip = address.getAddress();
    try {
      return ip.isLoopbackAddress() || NetworkInterface.getByInetAddress(ip) != null;
    } catch (SocketException e) {
      // not known to be here: the socket serves it as well
      return false;
    }
  }
}

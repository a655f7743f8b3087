package io.vdfs.datanode.membership;

import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Finds out whether the process that published a record of this node is known to be over, although
 * its session in ZooKeeper is not: it ran on this machine, and no process listens at its ports any
 * more. A process that hangs still listens, as the system answers in its place. This process holds
 * the locks of the node's volumes meanwhile. Stateless.
 */
final class EarlierProcess {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);

  private EarlierProcess() {}

  /**
   * @param earlier as it was published
   * @param self with the ports on which this process listens
   * @return false where it can't be told
   */
  static boolean isOver(RingNode earlier, RingNode self) {
    if (!earlier.host().equals(self.host())) {
      return false;
    }
    Set<Integer> own = ports(self);
    try {
      for (InetAddress address : InetAddress.getAllByName(self.host())) {
        if (!isHere(address)) {
          return false;
        }
        for (int port : ports(earlier)) {
          if (!own.contains(port) && isListening(address, port)) {
            return false;
          }
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Set<Integer> ports(RingNode node) {
    return IntStream.of(node.controlPort(), node.dataPort(), node.raftPort())
        .boxed()
        .collect(Collectors.toSet());
  }

  private static boolean isHere(InetAddress address) throws IOException {
    return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
  }

  private static boolean isListening(InetAddress address, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) CONNECT_LIMIT.toMillis());
      return true;
    } catch (ConnectException e) {
      return false; // refused: the machine answers, and no process listens there
    }
  }
}

package io.vdfs.datanode.meta.raft.port;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the connections that have not proved yet that they come from a member. Bounds their number
 * in total and for each host, so that a host that connects and says nothing locks out itself only.
 * Thread-safe.
 */
public final class Handshakes {
  public static final int OF_HOST = 32;
  static final int OF_ALL = 512;

  private final Map<InetAddress, Integer> ofHost = new HashMap<>(); // guarded by this
  private int all; // guarded by this

  /** Whether one more may begin, which then must {@link #end}. */
  synchronized boolean begin(SocketAddress peer) {
    InetAddress host = host(peer);
    if (all >= OF_ALL || ofHost.getOrDefault(host, 0) >= OF_HOST) {
      return false;
    }
    all++;
    ofHost.merge(host, 1, Integer::sum);
    return true;
  }

  synchronized void end(SocketAddress peer) {
    all--;
    ofHost.compute(host(peer), (host, count) -> count == 1 ? null : count - 1);
  }

  private static InetAddress host(SocketAddress peer) {
    return peer instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress()
        : InetAddress.getLoopbackAddress();
  }
}

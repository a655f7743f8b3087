package io.vdfs.it.quickstart;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A host that a DataNode and a NodeManager share. Immutable.
 *
 * @param address to listen at
 * @param name YARN's name of it, by which tasks find their DataNode
 */
record NodeHost(String address, String name) {
  private static final String ONLY_ADDRESS = "127.0.0.1";

  /** Loopback addresses from 127.0.0.1 on; the first one for all where others cannot be used. */
  static List<NodeHost> choose(int count) throws IOException {
    List<NodeHost> hosts = new ArrayList<>();
    for (int node = 1; node <= count; node++) {
      String address = "127.0.0." + node;
      if (!canBind(address)) {
        NodeHost only = of(ONLY_ADDRESS);
        return Collections.nCopies(count, only);
      }
      hosts.add(of(address));
    }
    return hosts;
  }

  private static NodeHost of(String address) throws IOException {
    return new NodeHost(address, InetAddress.getByName(address).getCanonicalHostName());
  }

  private static boolean canBind(String address) {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}

package io.vdfs.client.io;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A replica and how its bytes shall come. Immutable.
 *
 * @param local from the node's own file rather than over the socket
 */
record ReadWay(ReplicaNode node, boolean local) {

  /**
   * The ways to a group in the order in which they are tried: replicas as {@link ReplicaOrder} has
   * them, of one on this machine first its file, then its socket. Its file is left out for a file
   * that is being written, and for a while after the node granted nothing.
   */
  static Deque<ReadWay> of(ClientIo io, FileView view, int group) {
    Delivery delivery = io.settings().delivery();
    Deque<ReadWay> ways = new ArrayDeque<>();
    for (ReplicaNode node : ReplicaOrder.of(io, view, group)) {
      boolean local =
          switch (delivery) {
            case AUTO -> node.local() && !view.open() && !io.localDoubts().isSuspect(node.id());
            case LOCAL -> node.local();
            case SOCKET -> false;
          };
      if (local) {
        ways.add(new ReadWay(node, true));
      }
      if (delivery != Delivery.LOCAL) {
        ways.add(new ReadWay(node, false));
      }
    }
    return ways;
  }

  /** Begins to fetch a range by this way. */
  ReadAttempt start(ClientIo io, FileView view, long block, int start, int end) {
    return local
        ? LocalAttempt.start(io, node, view, block, start, end)
        : SocketAttempt.start(io, node, view, block, start, end);
  }
}

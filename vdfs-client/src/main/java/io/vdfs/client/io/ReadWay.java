package io.vdfs.client.io;

import java.util.ArrayDeque;
import java.util.Deque;

/** A replica and how its bytes shall come. Immutable. */
record ReadWay(ReplicaNode node, Kind kind) {
  /** The deliveries. */
  enum Kind {
    /** From the node's own file. */
    LOCAL,
    /** From memory that the node shares. */
    SEGMENT,
    /** Over the network. */
    SOCKET
  }

  /**
   * The ways to a group in the order in which they are tried: replicas as {@link ReplicaOrder} has
   * them, of one on this machine first its file, then its segment, then its socket. Its file is
   * left out for a file that is being written; file and segment for a while after they were of no
   * use.
   */
  static Deque<ReadWay> of(ClientIo io, FileView view, int group) {
    Deque<ReadWay> ways = new ArrayDeque<>();
    for (ReplicaNode node : ReplicaOrder.of(io, view, group)) {
      switch (io.settings().delivery()) {
        case AUTO -> {
          addNear(io, view, node, ways);
          ways.add(new ReadWay(node, Kind.SOCKET));
        }
        case LOCAL -> addIfHere(node, Kind.LOCAL, ways);
        case SEGMENT -> addIfHere(node, Kind.SEGMENT, ways);
        case SOCKET -> ways.add(new ReadWay(node, Kind.SOCKET));
      }
    }
    return ways;
  }

  private static void addNear(ClientIo io, FileView view, ReplicaNode node, Deque<ReadWay> ways) {
    if (!view.open() && !io.localDoubts().isSuspect(node.id())) {
      addIfHere(node, Kind.LOCAL, ways);
    }
    if (!io.segmentDoubts().isSuspect(node.id())) {
      addIfHere(node, Kind.SEGMENT, ways);
    }
  }

  private static void addIfHere(ReplicaNode node, Kind kind, Deque<ReadWay> ways) {
    if (node.local()) {
      ways.add(new ReadWay(node, kind));
    }
  }

  /**
   * Begins to fetch a range by this way.
   *
   * @param firstEpoch lowest write epoch that the block may have
   */
  ReadAttempt start(ClientIo io, FileView view, long block, int start, int end, long firstEpoch) {
    return switch (kind) {
      case LOCAL -> LocalAttempt.start(io, node, view, block, start, end, firstEpoch);
      case SEGMENT -> SegmentAttempt.start(io, node, view, block, start, end, firstEpoch);
      case SOCKET -> SocketAttempt.start(io, node, view, block, start, end, firstEpoch);
    };
  }
}

package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.ErrorCode;

/**
 * One way in which bytes of blocks come from a node to this process. Thread-safe; remembers by
 * itself which nodes were of no use recently.
 */
public interface BlockDelivery extends AutoCloseable {
  /** What {@link #onFailed} says of the ways that are left. */
  enum Turn {
    /** The next way is tried, in the present order: to the same node, if it has another one. */
    NEXT_WAY,
    /** The same node's socket comes before all others. */
    SAME_NODE_BY_SOCKET,
    /** What this node cannot give in this way it cannot give in another one either. */
    NEXT_NODE
  }

  /** Its name in the settings; never AUTO. */
  Delivery name();

  /** Whether it can bring anything from that node. */
  boolean reaches(ReplicaNode node);

  /** Whether it is worth a try where any delivery may be used. */
  boolean isPromising(ReplicaNode node, FileView view);

  /**
   * Whether bytes stay in a file of this machine until they are copied. They then take none of the
   * memory for bytes on their way, and an answer may cover only the first of the chunks that were
   * asked for.
   */
  boolean leavesBytesInPlace();

  /** Begins to fetch a range; the caller takes the result. */
  ReadAttempt start(WantedRange range);

  /** A reader keeps bytes that an attempt brought. */
  void onKept(ReplicaNode node, int bytes);

  /**
   * An attempt, or copying what it brought, failed.
   *
   * @return what may come next; for bytes that nobody was asked for, the same way comes first
   */
  Turn onFailed(ReplicaNode node, ErrorCode code);

  /** Closes what it keeps open; attempts under way end by themselves. */
  @Override
  void close();
}

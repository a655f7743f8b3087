package io.vdfs.client.io.replica;

import io.vdfs.common.model.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * For how long a failed try counts, so that later groups need not try the node again. One at a node
 * that is called dead counts for a fixed time. One at a node that is called live counts for a few
 * times as long as it took: where connects are refused, the next group tries again at once; where
 * they hang, they cost writers no more than about a quarter of their time. Thread-safe.
 */
public final class FailedTries {
  private static final int TIMES_ITS_LENGTH = 3;

  private final long memoryNanos;
  private final LongSupplier nanoClock;
  private final Map<NodeId, Try> last = new ConcurrentHashMap<>();

  private record Try(long endedAt, long took) {}

  /**
   * @param memoryNanos longest time for which a try counts
   */
  public FailedTries(long memoryNanos, LongSupplier nanoClock) {
    this.memoryNanos = memoryNanos;
    this.nanoClock = nanoClock;
  }

  /**
   * @param tookNanos from the start of the try, or the node's last answer, until it had failed
   */
  public void failed(NodeId node, long tookNanos) {
    last.put(node, new Try(nanoClock.getAsLong(), Math.max(0, tookNanos)));
  }

  public void succeeded(NodeId node) {
    last.remove(node);
  }

  /** Whether the node's last try failed and still counts. */
  public boolean count(ReplicaNode node) {
    Try failed = last.get(node.id());
    if (failed == null) {
      return false;
    }
    long memory =
        node.live() ? Math.min(memoryNanos, TIMES_ITS_LENGTH * failed.took()) : memoryNanos;
    return nanoClock.getAsLong() - failed.endedAt() < memory;
  }
}

package io.vdfs.client.io.replica;

import io.vdfs.common.model.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Remembers for a while which nodes failed, so that they are asked last. Thread-safe. */
public final class NodeHealth {
  private final long memoryNanos;
  private final LongSupplier nanoClock;
  private final AtomicLong failures;
  private final Map<NodeId, Long> failedAt = new ConcurrentHashMap<>();

  /**
   * @param failures raised after each failure that is remembered
   */
  public NodeHealth(long memoryNanos, LongSupplier nanoClock, AtomicLong failures) {
    this.memoryNanos = memoryNanos;
    this.nanoClock = nanoClock;
    this.failures = failures;
  }

  public void failed(NodeId node) {
    failedAt.put(node, nanoClock.getAsLong());
    failures.incrementAndGet();
  }

  public boolean isSuspect(NodeId node) {
    return suspicion(node) > 0;
  }

  /** 0 for a node that is not suspect; for others, the later the failure, the higher. */
  public long suspicion(NodeId node) {
    Long at = failedAt.get(node);
    if (at == null) {
      return 0;
    }
    long left = memoryNanos - (nanoClock.getAsLong() - at);
    if (left <= 0) {
      failedAt.remove(node, at);
      return 0;
    }
    return left;
  }
}

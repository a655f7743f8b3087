package io.vdfs.it.workload;

/**
 * A time in which a node was away: from just before its kill until it served again. Immutable; in
 * {@link System#nanoTime}.
 */
record Outage(int node, long fromNanos, long toNanos) {
  boolean overlaps(long from, long to) {
    return fromNanos <= to && from <= toNanos;
  }
}

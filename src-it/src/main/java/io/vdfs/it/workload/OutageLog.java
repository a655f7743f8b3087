package io.vdfs.it.workload;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Which nodes were away when. Thread-safe. */
public final class OutageLog {
  private final List<Outage> outages = new CopyOnWriteArrayList<>();
  private final AtomicLong powerCut = new AtomicLong(System.nanoTime());

  /**
   * Records that a node that was away serves again now.
   *
   * @param fromNanos when it went, or just before, in {@link System#nanoTime}
   */
  public void add(int node, long fromNanos) {
    add(new Outage(node, fromNanos, System.nanoTime()));
  }

  void add(Outage outage) {
    outages.add(outage);
  }

  /**
   * Records that all nodes have lost their power by now: what was merely flushed before may be
   * lost. To be called before any of them starts again.
   */
  public void addPowerCut() {
    powerCut.set(System.nanoTime());
  }

  /**
   * Whether there was no power cut since a moment.
   *
   * @param nanos in {@link System#nanoTime}
   */
  boolean hadPowerSince(long nanos) {
    return powerCut.get() - nanos < 0;
  }

  int size() {
    return outages.size();
  }

  /**
   * Whether two or more nodes were away at some moment of a period: of three nodes no majority
   * lives then, and of a group's three replicas perhaps only one.
   */
  boolean hadTwoAway(long fromNanos, long toNanos) {
    for (Outage one : outages) {
      for (Outage other : outages) {
        long from = Math.max(one.fromNanos(), other.fromNanos());
        long to = Math.min(one.toNanos(), other.toNanos());
        if (one.node() != other.node() && from <= to && fromNanos <= to && from <= toNanos) {
          return true;
        }
      }
    }
    return false;
  }

  /** Number of outages that were under way at some moment of a period. */
  long during(long fromNanos, long toNanos) {
    return outages.stream().filter(outage -> outage.overlaps(fromNanos, toNanos)).count();
  }

  @Override
  public String toString() {
    return outages.toString();
  }
}

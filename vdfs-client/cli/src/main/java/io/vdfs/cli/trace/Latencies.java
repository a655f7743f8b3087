package io.vdfs.cli.trace;

import java.util.Map;
import java.util.TreeMap;

/** How long calls took: counts by size, exact to a twelfth. */
final class Latencies {
  private static final int STEPS_PER_DOUBLING = 8;

  private final Map<Integer, Long> counts = new TreeMap<>();
  private long calls;
  private long total;
  private long most;

  /**
   * @param nanos of all the calls together
   */
  void add(long nanos, int number) {
    long each = nanos / number;
    counts.merge(step(each), (long) number, Long::sum);
    calls += number;
    total += nanos;
    most = Math.max(most, each);
  }

  private static int step(long nanos) {
    return nanos <= 1 ? 0 : (int) (STEPS_PER_DOUBLING * Math.log((double) nanos) / Math.log(2));
  }

  long total() {
    return total;
  }

  double mean() {
    return calls == 0 ? 0 : (double) total / calls;
  }

  long most() {
    return most;
  }

  /** The time that this share of the calls did not exceed. */
  double quantile(double share) {
    long wanted = (long) Math.ceil(share * (double) calls);
    long seen = 0;
    for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
      seen += entry.getValue();
      if (seen >= wanted) {
        return Math.min((double) most, Math.pow(2, (entry.getKey() + 1.0) / STEPS_PER_DOUBLING));
      }
    }
    return (double) most;
  }
}

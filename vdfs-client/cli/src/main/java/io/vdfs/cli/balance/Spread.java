package io.vdfs.cli.balance;

import java.util.Collection;

/**
 * How far apart values are. Immutable.
 *
 * @param mean 0 for no values
 */
record Spread(double mean, double standardDeviation) {
  static Spread of(Collection<Long> values) {
    double mean = values.stream().mapToLong(Long::longValue).average().orElse(0);
    double variance =
        values.stream().mapToDouble(value -> (value - mean) * (value - mean)).average().orElse(0);
    return new Spread(mean, Math.sqrt(variance));
  }

  /** How many standard deviations a value is above the mean, below zero for less. */
  double deviations(long value) {
    return standardDeviation == 0 ? 0 : (value - mean) / standardDeviation;
  }

  /** Whether a value is further than one standard deviation from the mean. */
  boolean isBeyond(long value) {
    return Math.abs(deviations(value)) > 1;
  }
}

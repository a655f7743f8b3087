package io.vdfs.common.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The counters of one part of the process, to be read at any time. Thread-safe as far as what it
 * reads is.
 */
public final class MetricGroup {
  private final String name;
  private final Supplier<List<Metric>> metrics;

  private MetricGroup(String name, Supplier<List<Metric>> metrics) {
    this.name = name;
    this.metrics = metrics;
  }

  /**
   * @param name lower case, without blanks
   * @param values gives the number of each constant
   */
  public static <E extends Enum<E> & CounterName> MetricGroup of(
      String name, Class<E> counters, ToLongFunction<E> values) {
    return new MetricGroup(
        name,
        () ->
            Arrays.stream(counters.getEnumConstants())
                .map(
                    counter ->
                        new Metric(
                            name,
                            counter.name().toLowerCase(Locale.ROOT),
                            counter.label(),
                            counter.isLevel(),
                            values.applyAsLong(counter)))
                .toList());
  }

  /**
   * @param name lower case, without blanks
   * @param metrics gives the numbers as they are, all of this group
   */
  public static MetricGroup of(String name, Supplier<List<Metric>> metrics) {
    return new MetricGroup(name, metrics);
  }

  public String name() {
    return name;
  }

  /** The numbers as they are now. */
  public List<Metric> read() {
    return metrics.get();
  }
}

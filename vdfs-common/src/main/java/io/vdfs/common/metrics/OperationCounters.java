package io.vdfs.common.metrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The same counters for each of several operations, all from 0. Thread-safe; raising a counter
 * takes no lock.
 *
 * @param <O> enum that names the operations
 * @param <C> enum that names the counters
 */
public final class OperationCounters<O extends Enum<O>, C extends Enum<C> & CounterName> {
  private final Map<O, Counters<C>> values;
  private final Class<C> names;

  public OperationCounters(Class<O> operations, Class<C> names) {
    EnumMap<O, Counters<C>> counters = new EnumMap<>(operations);
    for (O operation : operations.getEnumConstants()) {
      counters.put(operation, new Counters<>(names));
    }
    this.values = Collections.unmodifiableMap(counters);
    this.names = names;
  }

  public void increment(O operation, C name) {
    values.get(operation).increment(name);
  }

  public void add(O operation, C name, long amount) {
    values.get(operation).add(name, amount);
  }

  public long get(O operation, C name) {
    return values.get(operation).get(name);
  }

  /**
   * All numbers as they are now, named {@code operation_counter}.
   *
   * @param group which part of the process counts them
   */
  public List<Metric> read(String group) {
    List<Metric> metrics = new ArrayList<>();
    values.forEach(
        (operation, counters) -> {
          String prefix = operation.name().toLowerCase(Locale.ROOT);
          for (C name : names.getEnumConstants()) {
            metrics.add(
                new Metric(
                    group,
                    prefix + "_" + name.name().toLowerCase(Locale.ROOT),
                    prefix + ": " + name.label(),
                    name.isLevel(),
                    counters.get(name)));
          }
        });
    return metrics;
  }
}

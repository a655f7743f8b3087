package io.vdfs.common.metrics;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * One number per constant of an enum, all from 0. Thread-safe; raising a counter takes no lock.
 *
 * @param <E> enum that names the counters
 */
public final class Counters<E extends Enum<E>> {
  private final Map<E, LongAdder> values;

  public Counters(Class<E> names) {
    EnumMap<E, LongAdder> adders = new EnumMap<>(names);
    for (E name : names.getEnumConstants()) {
      adders.put(name, new LongAdder());
    }
    values = Collections.unmodifiableMap(adders);
  }

  public void increment(E name) {
    values.get(name).increment();
  }

  public void add(E name, long amount) {
    values.get(name).add(amount);
  }

  public long get(E name) {
    return values.get(name).sum();
  }
}

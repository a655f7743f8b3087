package io.vdfs.common.metrics;

import java.util.EnumMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One number per constant of an enum, all from 0. Thread-safe; raising a counter takes no lock.
 *
 * @param <E> enum that names the counters
 */
public final class Counters<E extends Enum<E>> {
  /**
   * Not changed once made. Adding to one has no branch. A {@code LongAdder}'s has one for threads
   * that meet, and where they had not met before, all that was compiled around it, such as the way
   * from a read to its file, was thrown away and compiled anew.
   */
  private final EnumMap<E, AtomicLong> values;

  public Counters(Class<E> names) {
    values = new EnumMap<>(names);
    for (E name : names.getEnumConstants()) {
      values.put(name, new AtomicLong());
    }
  }

  public void increment(E name) {
    add(name, 1);
  }

  public void add(E name, long amount) {
    values.get(name).addAndGet(amount);
  }

  public long get(E name) {
    return values.get(name).get();
  }
}

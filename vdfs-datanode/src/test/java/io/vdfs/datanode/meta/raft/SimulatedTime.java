package io.vdfs.datanode.meta.raft;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** The one thread and the one clock of a simulation. Confined to the test. */
final class SimulatedTime {
  private record Event(long due, long order, Runnable task) {}

  final Random random;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::due).thenComparingLong(Event::order));
  private long now;
  private long order;

  SimulatedTime(long seed) {
    random = new Random(seed);
  }

  long nanos() {
    return now;
  }

  long millis() {
    return now / 1_000_000;
  }

  boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  void after(Duration delay, Runnable task) {
    events.add(new Event(now + delay.toNanos(), order++, task));
  }

  /** Runs {@code task} once a time below {@code limitMillis} has passed. */
  void within(int limitMillis, Runnable task) {
    after(Duration.ofNanos(random.nextLong(limitMillis * 1_000_000L)), task);
  }

  /** Runs what is due in the next {@code span}. */
  void run(Duration span) {
    long end = now + span.toNanos();
    while (!events.isEmpty() && events.peek().due() <= end) {
      Event event = events.remove();
      now = event.due();
      event.task().run();
    }
    now = end;
  }
}

package io.vdfs.datanode.meta.service;

import io.vdfs.datanode.loop.ServiceLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A service loop that the test turns, with a clock that the test moves. Confined to the test. */
public final class ManualLoop implements ServiceLoop {
  private record Timer(long due, long order, Runnable task) {}

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::due).thenComparingLong(Timer::order));
  private long now = 1_000_000_000_000L;
  private long order;

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void schedule(Duration delay, Runnable task) {
    timers.add(new Timer(now + delay.toNanos(), order++, task));
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /** Runs everything that is due. */
  public void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Moves the clock, running what becomes due in its order. */
  public void advance(Duration time) {
    run();
    long end = now + time.toNanos();
    while (!timers.isEmpty() && timers.peek().due() <= end) {
      Timer timer = timers.remove();
      now = Math.max(now, timer.due());
      timer.task().run();
      run();
    }
    now = end;
  }
}

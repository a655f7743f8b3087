package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How long jobs take in virtual time if their tasks draw, ask ahead and hold back as {@link
 * RunDrawer} does, from a ledger that shortens runs near the end as the real one does.
 */
class JobTimeSimulationTest {
  private static final double SECOND = 1e9;
  private static final int BLOCKS = 128;

  private record Event(long nanos, int number, Runnable action) {}

  /** A job over blocks that cost the seconds in {@code pool}, in the order of drawing. */
  private static final class Job {
    private final Deque<Double> pool = new ArrayDeque<>();
    private final PriorityQueue<Event> events =
        new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparing(Event::number));
    private final int tasks;
    private long now;
    private int number;
    private int processed;

    Job(double[] pool, int tasks) {
      Arrays.stream(pool).forEach(this.pool::add);
      this.tasks = tasks;
    }

    void at(long nanos, Runnable action) {
      events.add(new Event(nanos, number++, action));
    }

    List<Double> draw(boolean first, int wanted) {
      int guided = (pool.size() + 2 * tasks - 1) / (2 * tasks);
      int limit = first ? 1 : Math.min(wanted, guided);
      List<Double> run = new ArrayList<>();
      while (run.size() < limit && !pool.isEmpty()) {
        run.add(pool.remove());
      }
      return run;
    }

    /** When the last task ended, in seconds. */
    double run() {
      while (!events.isEmpty()) {
        Event next = events.remove();
        now = next.nanos();
        next.action().run();
      }
      assertEquals(0, pool.size());
      return now / SECOND;
    }
  }

  /** A task that needs {@code factor} times as long for a block as it should. */
  private static final class Task {
    private final Job job;
    private final double factor;
    private final Remainder remainder;
    private final DrawPace size = new DrawPace();
    private List<Double> ahead = List.of();
    private long remainingAhead;
    private boolean begun;

    Task(Job job, double factor, int others) {
      this.job = job;
      this.factor = factor;
      this.remainder = new Remainder(others);
      job.at(0, this::next);
    }

    private void next() {
      if (!ahead.isEmpty()) {
        List<Double> run = ahead;
        ahead = List.of();
        begin(run, remainingAhead);
        return;
      }
      Optional<Remainder.Hold> hold = remainder.holdBack(size.nanosPerBlock(), job.now);
      if (hold.isPresent()) {
        look(hold.get(), (hold.get().until() - job.now) / 16);
      } else {
        draw();
      }
    }

    private void look(Remainder.Hold hold, long interval) {
      job.at(
          job.now + interval,
          () -> {
            if (hold.isOn(job.pool.size(), job.now)) {
              look(hold, interval);
            } else {
              draw();
            }
          });
    }

    private void draw() {
      List<Double> run = job.draw(!begun, size.wanted());
      begun = true;
      if (!run.isEmpty()) {
        begin(run, job.pool.size());
      }
    }

    private void begin(List<Double> run, long remaining) {
      remainder.onAnswer(remaining, run.size(), job.now);
      long nanos = (long) (run.stream().mapToDouble(Double::doubleValue).sum() * factor * SECOND);
      long end = job.now + nanos;
      long expectedEnd = job.now + size.expectedNanos(run.size());
      if (size.measured() && remainder.holdBack(size.nanosPerBlock(), expectedEnd).isEmpty()) {
        long ask = Math.min(end, job.now + size.askAheadAfterNanos(run.size()));
        job.at(
            ask,
            () -> {
              ahead = job.draw(false, size.wanted());
              remainingAhead = job.pool.size();
            });
      }
      job.at(
          end,
          () -> {
            size.onRun(run.size(), nanos);
            job.processed += run.size();
            next();
          });
    }
  }

  private static double seconds(double[] pool, boolean holding, double... factors) {
    Job job = new Job(pool, factors.length);
    for (double factor : factors) {
      Task task = new Task(job, factor, holding ? factors.length - 1 : 0);
      assertEquals(factor, task.factor);
    }
    double seconds = job.run();
    assertEquals(pool.length, job.processed);
    return seconds;
  }

  private static double ideal(double[] pool, double... factors) {
    double capacity = DoubleStream.of(factors).map(factor -> 1 / factor).sum();
    return DoubleStream.of(pool).sum() / capacity;
  }

  @Test
  void shouldNotWaitForASlowNode() {
    double[] pool = new double[BLOCKS];
    Arrays.fill(pool, 3);
    double[] factors = {1, 1, 10};
    double ideal = ideal(pool, factors);
    double seconds = seconds(pool, true, factors);
    assertTrue(seconds < 1.05 * ideal, seconds + " s, ideally " + ideal);
    double greedy = seconds(pool, false, factors);
    assertTrue(greedy > seconds + 10, "this job does not show what holding back is for: " + greedy);
  }

  @Test
  void shouldNotLeaveExpensiveBlocksToAFew() {
    double dear = 8;
    for (int seed = 0; seed < 200; seed++) {
      double[] pool = poolWithDearQuarter(dear, seed);
      double[] factors = {1, 1, 1, 1, 1, 1};
      double ideal = ideal(pool, factors);
      double seconds = seconds(pool, true, factors);
      // at the end each task may have an expensive block before it and one asked ahead
      assertTrue(seconds < ideal + 2.5 * dear, seed + ": " + seconds + " s, ideally " + ideal);
    }
  }

  /** The expensive blocks are the last ones, the first ones, or anywhere. */
  private static double[] poolWithDearQuarter(double dear, int seed) {
    List<Double> pool =
        new ArrayList<>(
            IntStream.range(0, BLOCKS).mapToObj(i -> i < BLOCKS * 3 / 4 ? 1.0 : dear).toList());
    if (seed == 1) {
      Collections.reverse(pool);
    } else if (seed > 1) {
      Collections.shuffle(pool, new Random(seed));
    }
    return pool.stream().mapToDouble(Double::doubleValue).toArray();
  }
}

package io.vdfs.datanode.stream;

import static io.vdfs.datanode.stream.ReadingSimulation.BLOCK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jobs on one file, one disk and a memory of a quarter of the file, in virtual time.
 *
 * <p>What can be reached: with {@code k} jobs that start {@code s} of a scan apart on a disk that
 * is never idle, the last one starts when {@code (k - 1) s} of the file were read and needs the
 * whole file, of which memory has at most a quarter: {@code (k - 1) s + 3/4} passes.
 */
@Timeout(60)
class SharedScanSimulationTest {
  private static final int BLOCKS = 512;
  private static final int TASKS = 4;
  private static final double TASK_SPEED = 120e6;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** The results of a set of jobs. */
  private record Outcome(double passes, double seeksPerGb, List<Double> seconds) {}

  private static Outcome run(int jobs, double apart, boolean sharing) {
    ReadingSimulation simulation = new ReadingSimulation(StreamSettings.DEFAULT);
    simulation.limitMemory(BLOCKS / 4 * BLOCK);
    simulation.setFileSize(BLOCKS * BLOCK);
    List<ScanJob> started = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      long start = (long) (job * apart * alone() * SECOND);
      started.add(new ScanJob(simulation, job, BLOCKS, TASKS, sharing, TASK_SPEED).startAt(start));
    }
    simulation.run();
    List<Double> seconds = new ArrayList<>();
    for (int job = 0; job < jobs; job++) {
      assertEquals(BLOCKS, started.get(job).blocksRead());
      assertTrue(started.get(job).finished() > 0, "every job ends");
      seconds.add(started.get(job).finished() / 1e9 - job * apart * alone());
    }
    return new Outcome(
        (double) simulation.disk.bytes() / (BLOCKS * BLOCK),
        simulation.disk.seeksPerGigabyte(),
        seconds);
  }

  /** Seconds that the disk takes for the file. */
  private static double alone() {
    return BLOCKS * BLOCK / SeekingDisk.BYTES_PER_SECOND;
  }

  @Test
  void shouldNotCostALoneJobAnything() {
    Outcome with = run(1, 0, true);
    Outcome without = run(1, 0, false);
    assertEquals(1, with.passes(), 0.01);
    assertEquals(without.seconds().get(0), with.seconds().get(0), 0.05 * alone());
  }

  @Test
  void shouldReadOnceForJobsThatStartTogether() {
    Outcome outcome = run(4, 0, true);
    assertTrue(outcome.passes() < 1.05, outcome::toString);
    assertTrue(outcome.seeksPerGb() < 100, outcome::toString);
  }

  @Test
  void shouldReadLittleMoreThanOnceForJobsThatStartWithinAQuarterOfAScan() {
    Outcome outcome = run(4, 1.0 / 12, true);
    assertTrue(outcome.passes() < 1.3, outcome::toString);
    assertTrue(outcome.seeksPerGb() < 100, outcome::toString);
  }

  @Test
  void shouldComeNearWhatCanBeReachedForJobsThatStartAQuarterOfAScanApart() {
    Outcome outcome = run(4, 0.25, true);
    assertTrue(outcome.passes() < 1.5 * 1.15, outcome::toString);
    assertTrue(outcome.seeksPerGb() < 100, outcome::toString);
    for (double seconds : outcome.seconds()) {
      assertTrue(seconds < 1.6 * alone(), () -> "none waits for the others to end: " + outcome);
    }
    Outcome alone = run(4, 0.25, false);
    assertTrue(alone.passes() > 1.3 * outcome.passes(), () -> alone + " without, " + outcome);
  }
}

package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.yarn.ControlLaw.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Runs the law against a thousand simulated nodes, each with a load of its own that follows from a
 * seed: phases of tasks that want processors, disks and memory, some of them with a DataNode that
 * is down or a kernel without pressure.
 */
class ControlSimulationTest {
  private static final int SEEDS = 1_000;
  private static final long SECOND = 1_000_000_000;
  private static final int STEADY_SETTLINGS = 40;

  /** That want to run where its processors are busy, as those that compile and collect garbage. */
  private static final int THREADS_OF_TASK = 4;

  @Test
  void shouldStayBoundedAndStableAndRecoverOnAThousandLoads() {
    int raised = 0;
    int lowered = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedNode node = new SimulatedNode(seed);
      node.run();
      raised += node.raised;
      lowered += node.lowered;
    }
    assertTrue(raised > SEEDS && lowered > SEEDS / 2, raised + " raised, " + lowered + " lowered");
  }

  /** What one task does while it runs. */
  private record Task(double processors, double disk, int memory) {}

  private static final class SimulatedNode {
    private final long seed;
    private final Random random;
    private final int processors;
    private final long machine;
    private final int settling;
    private final Bounds bounds;
    private final ControlLaw law;
    private final boolean pressured;
    private final List<Long> changes = new ArrayList<>();

    private ControlState state = ControlState.START;
    private long second;
    private int vcores;
    private long memory;
    private int running;
    private int raised;
    private int lowered;

    SimulatedNode(long seed) {
      this.seed = seed;
      random = new Random(seed);
      processors = 1 << random.nextInt(7);
      machine = 8_000L << random.nextInt(5);
      settling = 5 + random.nextInt(26);
      int factor = 2 + random.nextInt(7);
      bounds = new Bounds(processors, processors * factor, machine / 4, machine);
      law = new ControlLaw(bounds, Duration.ofSeconds(settling));
      pressured = random.nextInt(4) > 0;
      vcores = processors;
      memory = machine / 2;
    }

    void run() {
      for (int phase = 0; phase < 4; phase++) {
        Task task =
            new Task(
                random.nextInt(5) == 0 ? 0.9 : random.nextDouble(),
                random.nextDouble() / processors,
                100 + random.nextInt(1_000));
        phase(task, random.nextInt(3) * vcores, settling * (3 + random.nextInt(10)));
      }
      steady();
      recover();
    }

    private void phase(Task task, int tasks, int seconds) {
      for (int passed = 0; passed < seconds; passed++) {
        tick(task, tasks);
      }
    }

    /** One load for a long time: vcores come to rest, except for a try now and then. */
    private void steady() {
      Task task = new Task(0.1 + 0.9 * random.nextDouble(), 0, 200);
      phase(task, Integer.MAX_VALUE, 20 * settling);
      int before = changes.size();
      phase(task, Integer.MAX_VALUE, STEADY_SETTLINGS * settling);
      int tries = changes.size() - before;
      assertTrue(tries <= STEADY_SETTLINGS / 4, "seed=" + seed + " swings: " + tries + " changes");
    }

    /** From overload, whatever the state before it, to many light tasks. */
    private void recover() {
      phase(new Task(1, 1, 100), Integer.MAX_VALUE, 20 * settling);
      double most = 1.3 * Load.THREADS / THREADS_OF_TASK * processors;
      assertTrue(vcores <= most, "seed=" + seed + " stays overloaded: " + vcores);
      phase(new Task(0.001, 0, 10), Integer.MAX_VALUE, 2 * ControlLaw.LONGEST_CEILING * settling);
      assertEquals(bounds.mostVcores(), vcores, "seed=" + seed);
    }

    private void tick(Task task, int tasks) {
      second++;
      // a tenth of the tasks ends each second; running ones are never killed
      running -= (running + 9) / 10;
      running += Math.max(0, Math.min(tasks, vcores) - running);
      double wanted = running * task.processors() / processors;
      double noise = 0.9 + 0.2 * random.nextDouble();
      double disk = running * task.disk() * noise;
      long used = (long) running * task.memory();
      Sample sample =
          new Sample(
              second * SECOND,
              Math.min(1, wanted * noise),
              wanted * noise * THREADS_OF_TASK,
              pressured ? OptionalDouble.of(Math.min(1, wanted / 2)) : OptionalDouble.empty(),
              pressured ? OptionalDouble.of(used > machine ? 0.2 : 0) : OptionalDouble.empty(),
              pressured ? OptionalDouble.of(Math.min(1, disk)) : OptionalDouble.empty(),
              second % 50 < 40
                  ? Optional.of(new Sample.Disks(Math.min(1, disk), disk))
                  : Optional.empty(),
              OptionalLong.of((long) (machine * (0.7 + 0.2 * random.nextDouble()))),
              new Sample.Node(vcores, memory, running, 1));
      ControlLaw.Step step = law.next(state, sample);
      state = step.state();
      step.change().ifPresent(this::apply);
    }

    private void apply(Change change) {
      String where = "seed=" + seed + " at " + second + " s: " + change;
      assertTrue(
          change.vcores() >= bounds.leastVcores() && change.vcores() <= bounds.mostVcores(), where);
      assertTrue(change.memory() >= bounds.leastMemory() && change.memory() <= machine, where);
      assertTrue(change.vcores() != vcores || change.memory() != memory, where);
      if (!changes.isEmpty()) {
        assertTrue(second - changes.get(changes.size() - 1) >= settling, where);
      }
      if (change.vcores() != vcores) {
        changes.add(second);
      }
      raised += change.vcores() > vcores ? 1 : 0;
      lowered += change.vcores() < vcores ? 1 : 0;
      vcores = change.vcores();
      memory = change.memory();
    }
  }
}

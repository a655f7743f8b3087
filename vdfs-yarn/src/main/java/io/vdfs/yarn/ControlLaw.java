package io.vdfs.yarn;

import io.vdfs.yarn.ControlState.Ceiling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Says what a node should advertise next. Pure: the same samples give the same answers. Immutable.
 *
 * <p>In order of priority: never out of bounds; at most one change in a settling time; fewer vcores
 * where processors, disks or memory are asked for more than they can give; more where all of them
 * have room and the vcores are taken: less than an eighth is free, or too few for another container
 * as large as the largest.
 *
 * <p>Once a settling time it takes the mean of each {@link Load} since it last did so. The largest
 * of them decides. Above {@value #TOO_MUCH} the vcores are lowered, below {@value #TOO_LITTLE}
 * raised, each so that the load would come to {@value #AIM}, at most by half or to the double, at
 * least by one; between the two nothing changes. Example: 4 vcores, mean loads cpu 0.40 and disks
 * 0.20, all vcores taken: 4 * 0.85 / 0.40 = 8.5, so 8 vcores. After a lowering it waits until
 * containers hold no more vcores than there are. Then for {@value #MEMORY_OF_CEILING} settling
 * times it gives back no more than half of what it took, for twice as long where it has to lower
 * again soon after these, so that a load which 4 vcores leave idle and 5 overload does not swing.
 *
 * <p>Memory follows the smallest amount that any sample of the window had for containers, in steps
 * of at least a twentieth and {@value #MEMORY_STEP} MiB.
 */
final class ControlLaw {
  static final double AIM = 0.85;
  static final double TOO_MUCH = 1.15;
  static final double TOO_LITTLE = 0.65;
  static final int MEMORY_OF_CEILING = 10;
  static final int LONGEST_CEILING = 80;

  private static final long MEMORY_STEP = 256;
  private static final int LEAST_SAMPLES = 2;
  private static final int SPARE_PART = 8;
  private static final int MEMORY_PART = 20;
  private static final double MOST_STEP = 2;

  private final Bounds bounds;
  private final long settling;

  ControlLaw(Bounds bounds, Duration settling) {
    this.bounds = bounds;
    this.settling = settling.toNanos();
  }

  /** Least nanoseconds from one change, or attempt at it, to the next. */
  long settling() {
    return settling;
  }

  /**
   * What to advertise and why.
   *
   * @param memory in MiB
   */
  record Change(int vcores, long memory, String reasons) {}

  /**
   * @param state to go on with, if the change is made or there is none
   */
  record Step(ControlState state, Optional<Change> change) {}

  /**
   * @param state of the step before, or {@link ControlState#START}
   */
  Step next(ControlState state, Sample sample) {
    ControlState now = state.plus(sample, wanting(sample.node()));
    boolean settled = sample.nanos() - now.since().getAsLong() >= settling;
    if (!settled || now.samples() < LEAST_SAMPLES) {
      return new Step(now, Optional.empty());
    }
    int vcores = vcores(now, sample);
    long memory = memory(now.memory(), sample.node());
    Optional<Ceiling> ceiling = ceiling(now, sample, vcores);
    Step step = new Step(now.restart(sample.nanos(), ceiling), Optional.empty());
    if (vcores == sample.node().vcores() && memory == sample.node().memory()) {
      return step;
    }
    return new Step(
        step.state(),
        Optional.of(new Change(vcores, memory, reasons(now, sample, vcores, memory))));
  }

  private static boolean wanting(Sample.Node node) {
    int room = Math.max(Math.max(1, node.largest()), node.vcores() / SPARE_PART);
    return node.vcoresUsed() + room > node.vcores();
  }

  private int vcores(ControlState state, Sample sample) {
    Sample.Node node = sample.node();
    double load = state.meanLoad().most();
    int vcores = node.vcores();
    if (load > TOO_MUCH && node.vcoresUsed() <= vcores) {
      double part = Math.max(1 / MOST_STEP, AIM / load);
      return bounds.vcores(Math.min(vcores - 1, Math.floor(vcores * part)));
    }
    if (load < TOO_LITTLE && 2 * state.asked() > state.samples()) {
      double part = Math.min(MOST_STEP, AIM / Math.max(load, AIM / MOST_STEP));
      double wanted = Math.max(vcores + 1, Math.floor(vcores * part));
      int most =
          state
              .ceiling()
              .filter(known -> known.holds(sample.nanos()))
              .map(Ceiling::vcores)
              .orElse(Integer.MAX_VALUE);
      return bounds.vcores(Math.max(vcores, Math.min(most, wanted)));
    }
    return bounds.vcores(vcores);
  }

  private long memory(OptionalLong seen, Sample.Node node) {
    long now = bounds.memory(node.memory());
    if (seen.isEmpty()) {
      return Math.min(node.memory(), now);
    }
    long wanted = bounds.memory(seen.getAsLong());
    long step = Math.max(MEMORY_STEP, node.memory() / MEMORY_PART);
    return Math.abs(wanted - node.memory()) >= step ? wanted : now;
  }

  private Optional<Ceiling> ceiling(ControlState state, Sample sample, int vcores) {
    if (vcores >= sample.node().vcores()) {
      return state.ceiling();
    }
    int most = vcores + (sample.node().vcores() - vcores) / 2;
    int settlings =
        state
            .ceiling()
            .filter(known -> known.holds(sample.nanos() - known.settlings() * settling))
            .map(known -> Math.min(LONGEST_CEILING, 2 * known.settlings()))
            .orElse(MEMORY_OF_CEILING);
    return Optional.of(new Ceiling(most, sample.nanos() + settlings * settling, settlings));
  }

  private static String reasons(ControlState state, Sample sample, int vcores, long memory) {
    List<String> reasons = new ArrayList<>();
    Sample.Node node = sample.node();
    Load load = state.meanLoad();
    if (vcores < node.vcores()) {
      reasons.add(busiest(load) + " asked for more than there is");
    } else if (vcores > node.vcores()) {
      reasons.add("all have room, and no further container fits");
    }
    if (memory != node.memory()) {
      reasons.add(
          "memory for containers is %s"
              .formatted(
                  state.memory().stream()
                      .mapToObj(mebibytes -> mebibytes + " MiB")
                      .findFirst()
                      .orElse("bounded")));
    }
    return String.join("; ", reasons) + "; " + load;
  }

  private static String busiest(Load load) {
    if (load.cpu() >= load.most()) {
      return "processors are";
    }
    return load.disks() >= load.most() ? "disks are" : "memory is";
  }
}

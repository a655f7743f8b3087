package io.vdfs.yarn;

import io.vdfs.yarn.ControlLaw.Change;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures, asks the {@link ControlLaw}, and has the change made. A failure leaves the node as it
 * was; it is logged once, and again when it is over. Confined to one thread.
 */
final class Controller {
  private static final Logger LOG = LoggerFactory.getLogger(Controller.class);

  private static final int SETTLINGS_TO_TRY_AGAIN = 2;

  private final ControlLaw law;
  private final Samples samples;
  private final Updater updater;
  private final OvercommitRecord record;
  private final Failures measuring = new Failures("This node's load");
  private final Failures updating = new Failures("The ResourceManager");
  private ControlState state = ControlState.START;
  private Optional<Change> made = Optional.empty();
  private OptionalLong failedAt = OptionalLong.empty();

  Controller(ControlLaw law, Samples samples, Updater updater, OvercommitRecord record) {
    this.law = law;
    this.samples = samples;
    this.updater = updater;
    this.record = record;
  }

  /** Measures the node. */
  @FunctionalInterface
  interface Samples {
    Sample take() throws IOException;
  }

  /** Changes what the node advertises. */
  @FunctionalInterface
  interface Updater {
    /**
     * @param memory in MiB
     * @throws IOException if the node is as it was
     */
    void update(int vcores, long memory) throws IOException;
  }

  /** To be called at equal intervals, a few times in a settling time. */
  void tick() {
    Sample sample;
    try {
      sample = samples.take();
      measuring.over();
    } catch (IOException | RuntimeException e) {
      measuring.tell("cannot be measured, and what it advertises stays as it is", e);
      record.failed(e.getMessage());
      return;
    }
    record.measured(sample);
    ControlLaw.Step step = law.next(state, sample);
    if (step.change().isEmpty() && !mayTryAgain(sample)) {
      record.well();
    }
    state = step.change().isEmpty() ? step.state() : change(step, sample);
  }

  /** A change that failed is tried again after a settling time, if it is still due. */
  private boolean mayTryAgain(Sample sample) {
    return failedAt.isPresent()
        && sample.nanos() - failedAt.getAsLong() <= SETTLINGS_TO_TRY_AGAIN * law.settling();
  }

  private ControlState change(ControlLaw.Step step, Sample sample) {
    Change change = step.change().get();
    try {
      updater.update(change.vcores(), change.memory());
    } catch (IOException | RuntimeException e) {
      updating.tell("does not change what this node advertises, it stays as it was", e);
      record.failed(e.getMessage());
      failedAt = OptionalLong.of(sample.nanos());
      return step.state().restart(state.ceiling());
    }
    updating.over();
    failedAt = OptionalLong.empty();
    record.well();
    warnOfOthers(sample.node());
    made = Optional.of(change);
    record.changed(change);
    LOG.info(
        "This node advertises {} vcores and {} MiB, before it were {} and {}: {}",
        change.vcores(),
        change.memory(),
        sample.node().vcores(),
        sample.node().memory(),
        change.reasons());
    return step.state().restart(step.state().ceiling());
  }

  /** By a settling time after a change, the node has heard of it. */
  private void warnOfOthers(Sample.Node node) {
    if (made.isPresent()
        && (made.get().vcores() != node.vcores() || made.get().memory() != node.memory())) {
      LOG.warn(
          "Somebody else changes what this node advertises: set={} vcores and {} MiB, found={} and"
              + " {}; take the node out of dynamic-resources.xml, or switch overcommit off here",
          made.get().vcores(),
          made.get().memory(),
          node.vcores(),
          node.memory());
    }
  }
}

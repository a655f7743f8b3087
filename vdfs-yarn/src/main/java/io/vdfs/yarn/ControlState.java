package io.vdfs.yarn;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What {@link ControlLaw} remembers from one sample to the next. Immutable.
 *
 * @param since when the window began that is being averaged; empty before the first sample
 * @param samples in the window
 * @param loads their sum
 * @param asked how many of them had hardly a vcore left
 * @param memory the smallest amount that any of them had for containers
 * @param ceiling vcores that were too many the last time; none above them are tried for a while
 */
record ControlState(
    OptionalLong since,
    int samples,
    Load loads,
    int asked,
    OptionalLong memory,
    Optional<Ceiling> ceiling) {
  /**
   * @param vcores the most that are tried
   * @param until when that ends
   * @param settlings for how many settling times it was set
   */
  record Ceiling(int vcores, long until, int settlings) {
    boolean holds(long nanos) {
      return until - nanos > 0;
    }
  }

  static final ControlState START =
      new ControlState(
          OptionalLong.empty(), 0, Load.NONE, 0, OptionalLong.empty(), Optional.empty());

  /** With one more sample in the window. */
  ControlState plus(Sample sample, boolean wanting) {
    OptionalLong least = memory;
    if (sample.memory().isPresent()) {
      long seen = sample.memory().getAsLong();
      least = OptionalLong.of(Math.min(memory.orElse(seen), seen));
    }
    return new ControlState(
        OptionalLong.of(since.orElse(sample.nanos())),
        samples + 1,
        loads.plus(Load.of(sample)),
        asked + (wanting ? 1 : 0),
        least,
        ceiling);
  }

  /** With a window that begins now. */
  ControlState restart(long nanos, Optional<Ceiling> known) {
    return new ControlState(OptionalLong.of(nanos), 0, Load.NONE, 0, OptionalLong.empty(), known);
  }

  /** With a window that begins with the next sample, however late that is. */
  ControlState restart(Optional<Ceiling> known) {
    return new ControlState(OptionalLong.empty(), 0, Load.NONE, 0, OptionalLong.empty(), known);
  }

  Load meanLoad() {
    return loads.dividedBy(Math.max(1, samples));
  }
}

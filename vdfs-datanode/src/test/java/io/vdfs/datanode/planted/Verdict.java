package io.vdfs.datanode.planted;

import com.google.common.base.Throwables;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** What the failures of a test on a spoiled product mean. */
enum Verdict {
  CAUGHT,
  NOT_SEEN,
  /** Only ran out of time, as a test on a slow machine may that sees nothing. */
  OUT_OF_TIME,
  /** The code that was woven in does not fit: that product fails whatever it does. */
  BADLY_PLANTED;

  /**
   * @param failures of all tests and containers that were run
   */
  static Verdict of(List<Throwable> failures) {
    if (failures.isEmpty()) {
      return NOT_SEEN;
    }
    if (failures.stream().anyMatch(failure -> comesFrom(failure, LinkageError.class))) {
      return BADLY_PLANTED;
    }
    return failures.stream().allMatch(failure -> comesFrom(failure, TimeoutException.class))
        ? OUT_OF_TIME
        : CAUGHT;
  }

  private static boolean comesFrom(Throwable failure, Class<? extends Throwable> cause) {
    return Throwables.getCausalChain(failure).stream().anyMatch(cause::isInstance);
  }
}

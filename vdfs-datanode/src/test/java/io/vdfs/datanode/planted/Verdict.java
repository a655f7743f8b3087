package io.vdfs.datanode.planted;

import com.google.common.base.Throwables;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** The meaning of a test's failures on a spoiled product. */
enum Verdict {
  CAUGHT,
  NOT_SEEN,
  /** The test only ran out of time, as a test that sees no bug may on a slow machine. */
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

package io.vdfs.datanode.repair.garbage;

import java.time.Duration;

/**
 * When unneeded files are discarded and removed. Immutable.
 *
 * @param after how long a file must have been unneeded before it is discarded; also the time
 *     between two passes over what is held
 * @param keep how long a discarded file is kept on disk
 */
public record GarbageSettings(Duration after, Duration keep) {
  /**
   * @throws IllegalArgumentException if one of them is not positive
   */
  public GarbageSettings {
    if (after.isZero() || after.isNegative() || keep.isZero() || keep.isNegative()) {
      throw new IllegalArgumentException(
          "times must be positive: after=%s, keep=%s".formatted(after, keep));
    }
  }
}

package io.vdfs.datanode.repair;

import java.time.Duration;

/**
 * How a node repairs its copies. Immutable.
 *
 * @param rate bytes per second that it copies from others, and reads back of its own to compare
 * @param auditPeriod between audits, where nothing asks for one before
 * @param scrubPeriod in which all that is held is read back once
 */
public record RepairSettings(long rate, Duration auditPeriod, Duration scrubPeriod) {
  /**
   * @throws IllegalArgumentException if one of them is not positive
   */
  public RepairSettings {
    if (rate < 1
        || auditPeriod.isZero()
        || auditPeriod.isNegative()
        || scrubPeriod.isZero()
        || scrubPeriod.isNegative()) {
      throw new IllegalArgumentException(
          "limits must be positive: rate=%s, auditPeriod=%s, scrubPeriod=%s"
              .formatted(rate, auditPeriod, scrubPeriod));
    }
  }
}

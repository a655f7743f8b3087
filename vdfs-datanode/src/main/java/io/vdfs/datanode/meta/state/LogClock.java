package io.vdfs.datanode.meta.state;

import io.vdfs.common.wire.proto.ClockRecord;

/**
 * The time of the log, by the times that leaders put into its entries. Immutable.
 *
 * <p>Leaders' clocks may jump, and differ from each other. What inodes show follows the latest time
 * of all. What expires does so by the log's <em>age</em>, to which an entry adds the time since the
 * one before it, but no more than {@link #LONGEST_STEP_MILLIS}: a clock that is days ahead counts
 * as much as one that is minutes ahead. While there are no requests the leader has an entry made
 * more often than that; time without a leader does not count.
 *
 * @param latestMillis of all entries so far
 * @param lastMillis of the last one; 0 before the first
 * @param ageMillis begins at the time of the first entry
 */
public record LogClock(long latestMillis, long lastMillis, long ageMillis) {
  public static final LogClock START = new LogClock(0, 0, 0);

  static final long LONGEST_STEP_MILLIS = 120_000;

  public static LogClock of(ClockRecord record) {
    return new LogClock(record.getLatestMillis(), record.getLastMillis(), record.getAgeMillis());
  }

  /** The time at an entry; one without a time of its own leaves it as it is. */
  public LogClock at(long timeMillis) {
    if (timeMillis <= 0) {
      return this;
    }
    long step =
        lastMillis == 0
            ? timeMillis
            : Math.max(0, Math.min(timeMillis - lastMillis, LONGEST_STEP_MILLIS));
    return new LogClock(Math.max(latestMillis, timeMillis), timeMillis, ageMillis + step);
  }

  public ClockRecord toRecord() {
    return ClockRecord.newBuilder()
        .setLatestMillis(latestMillis)
        .setLastMillis(lastMillis)
        .setAgeMillis(ageMillis)
        .build();
  }
}

package io.vdfs.datanode.repair;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * When the next audit begins: soon after the start, a change of the ring map or a call for one;
 * after ever longer pauses where audits left something lacking and made no progress; and after each
 * period. Confined to the loop.
 */
final class AuditSchedule {
  /** Changes of the ring map come in groups. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(10);

  private final Duration period;
  private long due;
  private Duration pause = FIRST_PAUSE;
  private long epoch; // of the newest ring map that is known
  private OptionalLong ringDue = OptionalLong.empty(); // where no audit used that map

  AuditSchedule(Duration period, long now) {
    this.period = period;
    this.due = now;
  }

  boolean isDue(long now) {
    return due - now <= 0 || (ringDue.isPresent() && ringDue.getAsLong() - now <= 0);
  }

  void soon(long now) {
    due = Math.min(due, now);
  }

  void onRingSeen(long seen, long now) {
    if (seen > epoch) {
      epoch = seen;
      ringDue = OptionalLong.of(now + SETTLING.toNanos());
    }
  }

  /** An audit begins; a call from here on asks for another one. */
  void onBegun(long now) {
    due = now + period.toNanos();
  }

  /** Takes note of the map that the audit uses. */
  void onMapKnown(long ringEpoch) {
    if (ringEpoch >= epoch) {
      epoch = ringEpoch;
      ringDue = OptionalLong.empty();
    }
  }

  /** Unless another audit was called for meanwhile, the next one is due after the period. */
  void onClean(long begun, long now) {
    pause = FIRST_PAUSE;
    if (due == begun + period.toNanos()) {
      due = now + period.toNanos();
    }
  }

  /**
   * The audit left something lacking, or did not come to its end.
   *
   * @param promoted arcs that the node serves now
   */
  void onUnclean(long now, int promoted) {
    if (promoted > 0) {
      pause = FIRST_PAUSE;
    }
    due = Math.min(due, now + pause.toNanos());
    Duration next = pause.multipliedBy(2);
    pause = next.compareTo(period) > 0 ? period : next;
  }
}

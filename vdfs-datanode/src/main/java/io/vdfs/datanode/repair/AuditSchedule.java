package io.vdfs.datanode.repair;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * When the next audit begins: soon after the start, a change of the ring map or a call for it,
 * later and later after audits that left something lacking and brought nothing forward, and each
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
  private OptionalLong ringDue = OptionalLong.empty(); // where no audit went by that one

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

  /** An audit begins; a call for another one is to be heard from here on. */
  void onBegun(long now) {
    due = now + period.toNanos();
  }

  /** By which map it goes. */
  void onMapKnown(long ringEpoch) {
    if (ringEpoch >= epoch) {
      epoch = ringEpoch;
      ringDue = OptionalLong.empty();
    }
  }

  /** Unless one was called for meanwhile, the next one is due after the period. */
  void onClean(long begun, long now) {
    pause = FIRST_PAUSE;
    if (due == begun + period.toNanos()) {
      due = now + period.toNanos();
    }
  }

  /**
   * It left something lacking, or did not come to its end.
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

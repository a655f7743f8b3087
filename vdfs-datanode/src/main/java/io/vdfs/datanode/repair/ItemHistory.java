package io.vdfs.datanode.repair;

import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How groups fared lately: one that failed rests for longer each time; one that is done is not
 * begun again because of older news. A group with another length or epoch counts as another group.
 * Forgets the oldest where there are too many; that costs an attempt. Confined to the loop.
 */
final class ItemHistory {
  private static final int MOST = 20_000;
  private static final Duration FIRST_REST = Duration.ofSeconds(5);
  private static final Duration LONGEST_REST = Duration.ofMinutes(10);
  private static final Duration DONE_FOR = Duration.ofSeconds(10);

  private final Map<GroupKey, Past> past = new LinkedHashMap<>();

  /**
   * @param failures in a row; 0 for one that is done
   * @param nowhere whether the last failure was that no node has it
   * @param until when that counts, by the loop's clock
   */
  private record Past(WantedGroup wanted, int failures, boolean nowhere, long until) {}

  boolean isResting(WantedGroup wanted, long now) {
    Past known = past.get(wanted.key());
    return known != null && known.failures() > 0 && counts(known, wanted, now);
  }

  /** Whether the last attempt failed, as far as that is remembered. */
  boolean hasFailed(WantedGroup wanted) {
    Past known = past.get(wanted.key());
    return known != null && known.failures() > 0 && known.wanted().isSameState(wanted);
  }

  /** Whether it rests because no node had it. */
  boolean isNowhere(WantedGroup wanted, long now) {
    return isResting(wanted, now) && past.get(wanted.key()).nowhere();
  }

  boolean isDone(WantedGroup wanted, long now) {
    Past known = past.get(wanted.key());
    return known != null && known.failures() == 0 && counts(known, wanted, now);
  }

  private static boolean counts(Past known, WantedGroup wanted, long now) {
    return known.wanted().isSameState(wanted) && known.until() - now > 0;
  }

  void forget(GroupKey group) {
    past.remove(group);
  }

  void forgetAll() {
    past.clear();
  }

  void onDone(WantedGroup wanted, long now) {
    put(new Past(wanted, 0, false, now + DONE_FOR.toNanos()));
  }

  /**
   * @param nowhere whether all nodes answered and none has it
   * @return failures in a row, this one counted
   */
  int onFailed(WantedGroup wanted, boolean nowhere, long now) {
    Past known = past.get(wanted.key());
    int failures = known != null && known.wanted().isSameState(wanted) ? known.failures() + 1 : 1;
    Duration rest = FIRST_REST.multipliedBy(1L << Math.min(failures - 1, 10));
    Duration bounded = rest.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : rest;
    put(new Past(wanted, failures, nowhere, now + bounded.toNanos()));
    return failures;
  }

  private void put(Past known) {
    past.remove(known.wanted().key());
    past.put(known.wanted().key(), known);
    if (past.size() > MOST) {
      past.remove(past.keySet().iterator().next());
    }
  }
}

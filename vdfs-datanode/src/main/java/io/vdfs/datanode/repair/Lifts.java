package io.vdfs.datanode.repair;

import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Groups that this node holds again and that the metadata are still to be told of, many at once.
 * Confined to the loop.
 */
final class Lifts {
  /** Groups told of in one call; once so many wait they are told of at once. */
  static final int BATCH = 200;

  private final RepairCalls calls;
  private final Map<GroupKey, WantedGroup> pending = new LinkedHashMap<>();
  private final Set<GroupKey> recalled = new HashSet<>(); // some of those under way
  private List<WantedGroup> underWay = List.of();

  Lifts(RepairCalls calls) {
    this.calls = calls;
  }

  void add(WantedGroup group) {
    pending.put(group.key(), group);
  }

  /** A group turned out not to be sound after all. */
  void forget(GroupKey group) {
    pending.remove(group);
    underWay.stream().map(WantedGroup::key).filter(group::equals).forEach(recalled::add);
  }

  /** Any group may not be sound after all. */
  void forgetAll() {
    pending.clear();
    underWay.stream().map(WantedGroup::key).forEach(recalled::add);
  }

  boolean isFull() {
    return pending.size() >= BATCH;
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  boolean isSending() {
    return !underWay.isEmpty();
  }

  /** Tells of a batch; {@link #onSent} or {@link #onFailed} follows. */
  CompletableFuture<Integer> send() {
    underWay = pending.values().stream().limit(BATCH).toList();
    List<GroupKey> keys = new ArrayList<>();
    underWay.forEach(group -> keys.add(group.key()));
    pending.keySet().removeAll(keys);
    return calls.lift(underWay);
  }

  /**
   * @return groups that were forgotten meanwhile, of which the metadata believe now that they are
   *     sound
   */
  Set<GroupKey> onSent() {
    underWay = List.of();
    Set<GroupKey> told = Set.copyOf(recalled);
    recalled.clear();
    return told;
  }

  /**
   * Groups of a failed call are told of again, except for those that were forgotten meanwhile.
   *
   * @return as {@link #onSent}: a call that failed may have been heard
   */
  Set<GroupKey> onFailed() {
    underWay.stream()
        .filter(group -> !recalled.contains(group.key()))
        .forEach(group -> pending.putIfAbsent(group.key(), group));
    return onSent();
  }
}

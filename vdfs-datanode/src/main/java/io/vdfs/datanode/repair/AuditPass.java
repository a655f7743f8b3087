package io.vdfs.datanode.repair;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.Surroundings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/**
 * An audit whose groups are worked off one lot after the other, so that no more than one lot waits.
 * Groups that the node keeps and lacks are reported before they are copied, but for those with
 * sound bytes that are not those that were written. Remembers the arcs of groups that failed, and
 * whether a lack could not be recorded: of a group that no node has whole, a node holds on to its
 * part only as long as others are recorded as lacking the group. Confined to the loop.
 */
final class AuditPass {
  private final Surroundings around;
  private final RepairCalls calls;
  private final HoldingsAudit audit;
  private final IntConsumer onReported;
  private final Deque<Lacking> waiting = new ArrayDeque<>();
  private final Set<Integer> failedArcs = new TreeSet<>();
  private boolean unreported;
  private boolean fetching;
  private boolean last;
  private int underWay;
  private long found;
  private long failed;

  /**
   * @param audit that has not begun
   * @param onReported told how many groups were recorded as lacking
   */
  AuditPass(Surroundings around, RepairCalls calls, HoldingsAudit audit, IntConsumer onReported) {
    this.around = around;
    this.calls = calls;
    this.audit = audit;
    this.onReported = onReported;
  }

  HoldingsAudit audit() {
    return audit;
  }

  /** Groups found lacking so far. */
  long found() {
    return found;
  }

  long failed() {
    return failed;
  }

  /** Groups found lacking whose copy has not begun. */
  int waiting() {
    return waiting.size();
  }

  boolean wantsMore() {
    return !fetching && !last && waiting.isEmpty();
  }

  boolean isOver() {
    return last && !fetching && waiting.isEmpty() && underWay == 0;
  }

  /**
   * Whether everything that the first page's map asks for is there, except for groups that no node
   * has and that are recorded as lacking.
   */
  boolean isClean() {
    return failedArcs.isEmpty() && !unreported;
  }

  /** Arcs on which the node is joining and holds all now. */
  List<Integer> joined() {
    RingMap ring = audit.ring();
    NodeId self = around.self();
    List<Integer> joined = new ArrayList<>();
    for (int arc = 0; arc < ring.arcCount(); arc++) {
      if (ring.arcs().get(arc).joining().contains(self) && !failedArcs.contains(arc)) {
        joined.add(arc);
      }
    }
    return joined;
  }

  /** Gets the next lot; completes on the loop. */
  CompletableFuture<Void> fetch() {
    fetching = true;
    return audit
        .next()
        .thenComposeAsync(
            lot -> report(lot.groups()).thenAcceptAsync(unused -> take(lot), around.loop()),
            around.loop())
        .whenCompleteAsync((done, failure) -> fetching = false, around.loop());
  }

  /** Groups that can't be reported are copied all the same. */
  private CompletableFuture<Void> report(List<Lacking> groups) {
    List<GroupKey> kept =
        groups.stream()
            .filter(group -> group.duty() == Duty.KEEP && !group.differing())
            .map(Lacking::key)
            .toList();
    return kept.isEmpty()
        ? CompletableFuture.completedFuture(null)
        : calls
            .report(kept)
            .handleAsync(
                (result, failure) -> {
                  if (failure == null) {
                    onReported.accept(result.getRecorded());
                  }
                  unreported |= failure != null || result.getPassedOver() > 0;
                  return null;
                },
                around.loop());
  }

  private void take(HoldingsAudit.Lot lot) {
    found += lot.groups().size();
    last = lot.last();
    for (Lacking group : lot.groups()) {
      boolean reported = group.duty() == Duty.KEEP && !group.differing();
      waiting.add(reported ? group.asRecorded() : group);
    }
  }

  /**
   * The next group that is not being worked on.
   *
   * @param done those that need nothing any more
   * @param resting those that failed and are not tried now
   */
  Optional<Lacking> take(
      Predicate<Lacking> done, Predicate<Lacking> resting, Predicate<Lacking> inHand) {
    for (int left = waiting.size(); left > 0; left--) {
      Lacking next = waiting.remove();
      if (done.test(next)) {
        continue;
      }
      if (inHand.test(next)) {
        waiting.add(next);
      } else if (resting.test(next)) {
        fail(next);
      } else {
        underWay++;
        return Optional.of(next);
      }
    }
    return Optional.empty();
  }

  void onDone() {
    underWay--;
  }

  void onFailed(Lacking group) {
    underWay--;
    fail(group);
  }

  private void fail(Lacking group) {
    failed++;
    failedArcs.add(audit.ring().arcOf(group.key().file().fileId(), group.key().group()));
  }
}

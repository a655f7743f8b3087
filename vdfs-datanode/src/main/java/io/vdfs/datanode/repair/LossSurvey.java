package io.vdfs.datanode.repair;

import io.vdfs.datanode.repair.copy.GroupKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;

/**
 * Has all groups that this node keeps and lacks recorded at once, before any is copied: after the
 * loss of a volume readers and writers are to know of it without waiting for the copies. Groups
 * that are only prepared here do not concern them. Confined to the loop; never blocks.
 */
final class LossSurvey {
  private final HoldingsAudit audit;
  private final RepairCalls calls;
  private final Executor loop;
  private final IntConsumer onReported;

  /**
   * @param audit that has not begun
   * @param onReported told how many groups were recorded as lacking
   */
  LossSurvey(HoldingsAudit audit, RepairCalls calls, Executor loop, IntConsumer onReported) {
    this.audit = audit;
    this.calls = calls;
    this.loop = loop;
    this.onReported = onReported;
  }

  /**
   * Goes over all that the node should hold; fails where an answer is missing or the map changes.
   */
  CompletableFuture<Void> run() {
    return audit
        .next()
        .thenComposeAsync(
            lot -> report(lot).thenComposeAsync(done -> lot.last() ? done() : run(), loop), loop);
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> report(HoldingsAudit.Lot lot) {
    List<GroupKey> lost =
        lot.groups().stream()
            .filter(group -> group.duty() == Duty.KEEP && !group.recorded())
            .map(Lacking::key)
            .toList();
    return lost.isEmpty()
        ? done()
        : calls
            .report(lost)
            .thenAcceptAsync(result -> onReported.accept(result.getRecorded()), loop);
  }
}

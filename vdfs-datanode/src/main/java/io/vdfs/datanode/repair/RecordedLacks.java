package io.vdfs.datanode.repair;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LackingProto;
import io.vdfs.common.wire.proto.LeftOutNodeProto;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The groups that the metadata have recorded as lacking here, those with fewest copies left first.
 * A walk reads the whole list and keeps no more than {@link #KEPT} that did not fail before and as
 * many that did, which are taken in turns: so however many cannot be mended, as far as that is
 * remembered, they take no other's place. Confined to the loop.
 */
final class RecordedLacks {
  static final int KEPT = 1_000;

  private static final Comparator<Lacking> ORDER =
      Comparator.comparingInt(Lacking::copiesLeft)
          .thenComparing((Lacking item) -> item.key().file().fileId())
          .thenComparing((Lacking item) -> item.key().file().generation())
          .thenComparing((Lacking item) -> item.key().group());

  private final Surroundings around;
  private final RepairCalls calls;
  private NavigableSet<Lacking> untried = new TreeSet<>(ORDER);
  private NavigableSet<Lacking> failed = new TreeSet<>(ORDER);
  private boolean failedNext;
  private long total;
  private long ringEpoch;

  RecordedLacks(Surroundings around, RepairCalls calls) {
    this.around = around;
    this.calls = calls;
  }

  /** Groups that the last walk found. */
  long total() {
    return total;
  }

  /** Epoch of the ring map that the last walk used. */
  long ringEpoch() {
    return ringEpoch;
  }

  /**
   * Reads the list anew; not to be begun while another walk goes on.
   *
   * @param resting groups that are not to be begun before the next walk
   * @param hasFailed groups that could not be mended the last time
   */
  CompletableFuture<Void> walk(Predicate<Lacking> resting, Predicate<Lacking> hasFailed) {
    return new Walk(resting, hasFailed).from(0);
  }

  /** A most urgent group that may be begun; it is not given out again until the next walk. */
  Optional<Lacking> take(Predicate<Lacking> ready) {
    Optional<Lacking> next =
        take(failedNext ? failed : untried, ready)
            .or(() -> take(failedNext ? untried : failed, ready));
    failedNext ^= next.isPresent();
    return next;
  }

  private static Optional<Lacking> take(Set<Lacking> waiting, Predicate<Lacking> ready) {
    for (Iterator<Lacking> all = waiting.iterator(); all.hasNext(); ) {
      Lacking next = all.next();
      if (ready.test(next)) {
        all.remove();
        return Optional.of(next);
      }
    }
    return Optional.empty();
  }

  /** One reading of the list. */
  private final class Walk {
    private final Predicate<Lacking> resting;
    private final Predicate<Lacking> hasFailed;
    private final NavigableSet<Lacking> foundUntried = new TreeSet<>(ORDER);
    private final NavigableSet<Lacking> foundFailed = new TreeSet<>(ORDER);
    private long count;

    Walk(Predicate<Lacking> resting, Predicate<Lacking> hasFailed) {
      this.resting = resting;
      this.hasFailed = hasFailed;
    }

    CompletableFuture<Void> from(long after) {
      return calls.lacking(after).thenComposeAsync(page -> take(after, page), around.loop());
    }

    private CompletableFuture<Void> take(long after, ListLackingResult page) {
      try {
        for (LackingProto group : page.getGroupsList()) {
          add(group);
        }
      } catch (VdfsException e) {
        return CompletableFuture.failedFuture(e);
      }
      if (page.getMore() && page.getReached() == after) {
        return CompletableFuture.failedFuture(
            new VdfsException(ErrorCode.INTERNAL, "a page leads nowhere: after=" + after));
      }
      if (page.getMore()) {
        return from(page.getReached());
      }
      untried = foundUntried;
      failed = foundFailed;
      total = count;
      ringEpoch = page.getRingEpoch();
      return CompletableFuture.completedFuture(null);
    }

    private void add(LackingProto group) throws VdfsException {
      count++;
      Map<NodeId, Integer> leftOut = new HashMap<>();
      for (LeftOutNodeProto node : group.getLeftOutList()) {
        leftOut.put(WireIds.nodeId(node.getNode()), node.getEpoch());
      }
      WantedGroup wanted =
          new WantedGroup(
              new GroupKey(WireIds.fileKey(group.getFile()), group.getGroup()),
              group.getLength(),
              group.getChecksum(),
              group.getWriteEpoch(),
              leftOut,
              false);
      Lacking item = new Lacking(wanted, Duty.PREPARE, true, false, group.getCopiesLeft());
      if (resting.test(item)) {
        return;
      }
      NavigableSet<Lacking> found = hasFailed.test(item) ? foundFailed : foundUntried;
      found.add(item);
      if (found.size() > KEPT) {
        found.pollLast();
      }
    }
  }
}

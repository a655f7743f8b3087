package io.vdfs.datanode.repair;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.OwnGroups;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over what this node should hold, page by page, as the metadata list it, compared with
 * what it holds. The length of a group is compared, and the checksum that its writer told of it,
 * where it told one, with those that this node has of its chunks: a copy that is sound by itself
 * may be another one than it should. A group that it prepares must also be of the file's write
 * epoch, or it is taken for lacking and compared with a source: a node that was away may hold other
 * bytes of the same length. Groups on a suspect volume are taken for lacking, and so are those
 * found damaged.
 *
 * <p>Works by the ring map of the first page; the pass fails with STALE_RING where a later page
 * used another one. Holds one page and one lot at a time. Confined to the loop; never blocks.
 */
final class HoldingsAudit {
  private static final Logger LOG = LoggerFactory.getLogger(HoldingsAudit.class);

  /** Groups handed over at a time. */
  static final int LOT = 200;

  /** Groups looked at before other tasks of the loop get a turn. */
  private static final int TURN = 20_000;

  /** Looks at a length that take as long as a comparison of checksums. */
  private static final int COMPARISON = 100;

  private final Surroundings around;
  private final RepairCalls calls;
  private final Predicate<GroupKey> unsound;

  private RingMap ring;
  private long sequence;
  private long reached;
  private boolean more = true;
  private List<HeldFileProto> page = List.of();
  private int nextFile;
  private FileGroups file = FileGroups.NONE;
  private long looked;
  private Optional<Runnable> onDiffering = Optional.empty();

  /** What this turn of the loop has done, in looks at a length. */
  private int looksInTurn;

  /**
   * Groups that were found lacking.
   *
   * @param last whether the pass is over
   */
  record Lot(List<Lacking> groups, boolean last) {}

  /**
   * @param unsound groups whose bytes here are known to be damaged
   */
  HoldingsAudit(Surroundings around, RepairCalls calls, Predicate<GroupKey> unsound) {
    this.around = around;
    this.calls = calls;
    this.unsound = unsound;
  }

  /** The ring map that the pass uses; there once the first lot is. */
  RingMap ring() {
    return ring;
  }

  /** Sequence of the last change that the first page knew of. */
  long sequence() {
    return sequence;
  }

  /** Groups compared so far. */
  long looked() {
    return looked;
  }

  /**
   * Has checksums compared, too, not only lengths.
   *
   * @param told for each group with sound bytes that are not those that were written
   */
  HoldingsAudit comparing(Runnable told) {
    onDiffering = Optional.of(told);
    return this;
  }

  /**
   * The next lot of lacking groups; completes on the loop. Not to be asked for while another is
   * awaited.
   */
  CompletableFuture<Lot> next() {
    return next(new ArrayList<>());
  }

  private CompletableFuture<Lot> next(List<Lacking> lot) {
    try {
      for (looksInTurn = 0; looksInTurn < TURN; looksInTurn++) {
        if (lot.size() == LOT) {
          return handOver(lot, false);
        }
        if (!file.hasNext() && !openFile()) {
          return atPageEnd(lot);
        }
        if (file.hasNext()) {
          look(file.next(), lot);
        }
      }
    } catch (VdfsException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return CompletableFuture.runAsync(() -> {}, around.loop())
        .thenComposeAsync(unused -> next(lot), around.loop());
  }

  private static CompletableFuture<Lot> handOver(List<Lacking> lot, boolean last) {
    return CompletableFuture.completedFuture(new Lot(List.copyOf(lot), last));
  }

  private CompletableFuture<Lot> atPageEnd(List<Lacking> lot) {
    if (!more) {
      return handOver(lot, true);
    }
    if (!lot.isEmpty()) {
      return handOver(lot, false);
    }
    return calls
        .holdings(reached)
        .thenComposeAsync(
            answer -> {
              try {
                take(answer);
                return next(lot);
              } catch (VdfsException e) {
                return CompletableFuture.failedFuture(e);
              }
            },
            around.loop());
  }

  private void take(ListHoldingsResult answer) throws VdfsException {
    if (ring == null) {
      begin(answer);
    } else if (answer.getRingEpoch() != ring.epoch()) {
      throw new VdfsException(
          ErrorCode.STALE_RING,
          "ring map changed: began with=" + ring.epoch() + ", now=" + answer.getRingEpoch());
    } else if (answer.getMore() && answer.getReached() == reached) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "a page leads nowhere: after=" + reached + ", " + answer.getReached());
    }
    page = answer.getFilesList();
    nextFile = 0;
    reached = answer.getReached();
    more = answer.getMore();
  }

  private void begin(ListHoldingsResult answer) throws VdfsException {
    if (!answer.hasRing()) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no ring map is recorded yet");
    }
    ring = RingCodec.fromProto(answer.getRing());
    sequence = answer.getSequence();
  }

  private boolean openFile() throws VdfsException {
    if (nextFile == page.size()) {
      return false;
    }
    file = FileGroups.of(page.get(nextFile++), around.geometry());
    return true;
  }

  private void look(int group, List<Lacking> lot) {
    ArcReplicas arc = ring.replicas(file.key(), group);
    if (!arc.contains(around.self())) {
      return;
    }
    looked++;
    Set<NodeId> leftOut = file.leftOut(group);
    Duty duty = Duty.of(arc, ring.replication(), around.self(), file.replication(), leftOut);
    boolean recorded = leftOut.contains(around.self());
    WantedGroup wanted =
        new WantedGroup(
            new GroupKey(file.key(), group),
            file.length(group),
            file.checksum(group),
            file.writeEpoch(),
            file.leftOutEpochs(group),
            duty == Duty.KEEP);
    if (duty == Duty.NONE) {
      return;
    }
    boolean held = !recorded && isHeld(wanted);
    boolean differing = held && isAnother(wanted);
    if (!held || differing) {
      lot.add(new Lacking(wanted, duty, recorded, differing && duty == Duty.KEEP, 0));
    }
  }

  /** Whether a group is held as it should be, as far as that can be told by its length. */
  private boolean isHeld(WantedGroup wanted) {
    OwnGroups own = around.own();
    if (unsound.test(wanted.key()) || own.isOnSuspectVolume(wanted.key())) {
      return false;
    }
    return wanted.ownCounts()
        ? own.length(wanted.key()) >= wanted.length()
        : own.isOf(wanted.key(), wanted.length(), wanted.writeEpoch());
  }

  private boolean isAnother(WantedGroup wanted) {
    if (wanted.checksum() == 0 || onDiffering.isEmpty()) {
      return false;
    }
    looksInTurn += COMPARISON;
    OptionalInt held = around.own().checksum(wanted.key(), wanted.length());
    boolean another = held.isPresent() && held.getAsInt() != wanted.checksum();
    if (another) {
      onDiffering.get().run();
      LOG.warn(
          "Bytes here are sound and not those that were written: file={}, group={}, length={}",
          wanted.key().file(),
          wanted.key().group(),
          wanted.length());
    }
    return another;
  }
}

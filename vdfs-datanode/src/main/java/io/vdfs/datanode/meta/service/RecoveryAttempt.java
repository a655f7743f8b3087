package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.LeaseBoundProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One attempt for one file, under the epoch that BeginRecovery gave it. Judges the group of the
 * recorded length and, as long as they are whole, those after it:
 *
 * <ol>
 *   <li>All nodes of the group's list that are not left out are fenced and say what they hold;
 *       where these are too few, those that are left out, too. Where too few answer, the attempt
 *       ends.
 *   <li>Keepers read their copies back; {@link GroupCensus} tells the length. Where keepers are too
 *       few, lack bytes, or have none at all, as after they took the places of those that the
 *       writer wrote to, all other nodes read back what they have, see {@link OtherCopies}. If one
 *       of them has more, that is the length, once every node has answered or the caller accepts
 *       it. Where more was flushed than any node has, the attempt ends if a node is silent or away,
 *       that is on record with its volumes and not in the ring map, unless the caller accepts it.
 *       Where no node has all recorded bytes, it ends, unless the caller accepts that those of this
 *       lease are lost and every node has answered.
 *   <li>Where fewer nodes hold that length than a closed file must have, short ones copy from one
 *       that does, and read back what they have then; last those that are left out, which then no
 *       longer are. What these had before counts for nothing.
 * </ol>
 *
 * <p>Then the copies of the last group are cut to its length, what lies in the two groups behind it
 * is fenced and emptied where it can be reached, and the file can be closed. Nodes that lack a
 * group are recorded as left out of that group alone, for repair. Confined to the service loop.
 */
final class RecoveryAttempt {
  /** The most groups that a writer may have open behind the last one that it finished. */
  private static final int GROUPS_BEHIND = 2;

  private final FileKey file;
  private final StatusProto status;
  private final boolean accept;
  private final RecoverySurroundings around;
  private final Turns turns;
  private final int epoch;
  private final List<JudgedGroup> groups = new ArrayList<>();
  private final Set<NodeId> silent = new HashSet<>();
  private Optional<RingMap> ring = Optional.empty();
  private LeaseBound lease = LeaseBound.NONE;
  private boolean hasTurn;
  private boolean changed;

  RecoveryAttempt(
      FileKey file, StatusProto status, boolean accept, RecoverySurroundings around, Turns turns) {
    this.file = file;
    this.status = status;
    this.accept = accept;
    this.around = around;
    this.turns = turns;
    this.epoch = status.getWriteEpoch();
  }

  /** Whether anything on any node may have been changed, or may yet be. */
  boolean hasChanged() {
    return changed;
  }

  /** What was found in the last groups. */
  String found() {
    return groups.stream()
        .skip(Math.max(0, groups.size() - GROUPS_BEHIND - 1L))
        .map(JudgedGroup::found)
        .collect(Collectors.joining("; "));
  }

  /**
   * @return the request that closes the file; fails with the reason why it has to stay in recovery
   */
  CompletableFuture<MetaRequest> run() {
    ring = around.ring().get();
    try {
      lease = lease();
    } catch (VdfsException e) {
      return CompletableFuture.failedFuture(e);
    }
    return judgeFrom(geometry().groupAt(status.getLength()))
        .thenComposeAsync(unused -> cut(), around.loop())
        .thenComposeAsync(unused -> emptyBehind(), around.loop())
        .thenApplyAsync(unused -> closing(), around.loop())
        .whenCompleteAsync((closing, failure) -> giveTurnBack(), around.loop());
  }

  private LeaseBound lease() throws VdfsException {
    return WireIds.leaseBound(
        LeaseBoundProto.newBuilder()
            .setStartLength(status.getLeaseStartLength())
            .setFirstEpoch(status.getLeaseFirstEpoch())
            .build());
  }

  private ClusterGeometry geometry() {
    return around.geometry();
  }

  private CompletableFuture<Void> judgeFrom(int group) {
    Optional<GroupReplicas> replicas = replicas(group);
    if (replicas.isEmpty()) {
      return LeftInRecovery.because("there is no ring map yet: file=" + file);
    }
    return judge(group, replicas.get())
        .thenComposeAsync(
            judged -> {
              groups.add(judged);
              return judged.length() == geometry().groupSize()
                  ? judgeFrom(group + 1)
                  : CompletableFuture.<Void>completedFuture(null);
            },
            around.loop());
  }

  private CompletableFuture<JudgedGroup> judge(int number, GroupReplicas replicas) {
    GroupProbe probe = new GroupProbe(around, file, number, epoch, lease);
    return probe
        .fence(replicas.readOrder())
        .thenComposeAsync(
            extents -> {
              replicas.readOrder().stream()
                  .filter(node -> !extents.containsKey(node))
                  .forEach(silent::add);
              Group group = new Group(number, replicas, probe, extents);
              boolean enough = extents.size() >= replicas.requiredCopies();
              return enough && !accept
                  ? judge(group)
                  : group.askLeftOut().thenComposeAsync(unused -> judge(group), around.loop());
            },
            around.loop());
  }

  private CompletableFuture<JudgedGroup> judge(Group group) {
    Map<NodeId, ReplicaProbe.Extent> keepers = new TreeMap<>(group.extents);
    keepers.keySet().retainAll(group.replicas.keepers());
    if (keepers.isEmpty() && !accept) {
      return LeftInRecovery.because("no keeper answers: " + group.describe());
    }
    int answers = group.extents.size() + group.leftOut.size();
    if (answers < group.replicas.requiredCopies() && !accept) {
      return LeftInRecovery.because("too few nodes answer: " + group.describe());
    }
    boolean empty = keepers.values().stream().allMatch(extent -> extent.length() == 0);
    CompletableFuture<Void> turn = empty ? CompletableFuture.completedFuture(null) : takeTurn();
    return turn.thenComposeAsync(unused -> group.probe.verify(keepers), around.loop())
        .thenComposeAsync(group::judge, around.loop());
  }

  /** Groups are read back by few attempts at a time; what was taken is kept to the end. */
  private CompletableFuture<Void> takeTurn() {
    if (hasTurn) {
      return CompletableFuture.completedFuture(null);
    }
    hasTurn = true;
    return turns.take();
  }

  private void giveTurnBack() {
    if (hasTurn) {
      hasTurn = false;
      turns.giveBack();
    }
  }

  private Optional<GroupReplicas> replicas(int group) {
    return ring.map(
        map -> {
          List<NodeId> serving = map.replicas(file, group).serving();
          Set<NodeId> leftOut =
              serving.stream().filter(node -> isLeftOut(node, group)).collect(Collectors.toSet());
          return GroupReplicas.of(serving, Math.max(1, status.getReplication()), leftOut);
        });
  }

  private boolean isLeftOut(NodeId node, int group) {
    return status.getExclusionsList().stream()
        .anyMatch(
            range ->
                range.getNode().equals(WireIds.encode(node))
                    && Integer.compareUnsigned(range.getFirstGroup(), group) <= 0
                    && Integer.compareUnsigned(group, range.getEndGroup()) < 0);
  }

  private long recorded(int group) {
    return part(status.getLength(), group);
  }

  /** Bytes that were seen by readers, as far as the metadata heard of them; may be too few. */
  private long flushed(int group) {
    return part(Math.max(status.getLength(), status.getFlushedLength()), group);
  }

  private long part(long length, int group) {
    long before = group * geometry().groupSize();
    return Math.max(0, Math.min(length - before, geometry().groupSize()));
  }

  /** Cuts what copies of the last group hold behind its length; a node that fails is no holder. */
  private CompletableFuture<Void> cut() {
    JudgedGroup last = groups.get(groups.size() - 1);
    if (last.surplus().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    changed = true;
    GroupProbe probe = new GroupProbe(around, file, last.group(), epoch, lease);
    return probe
        .truncate(last.surplus(), last.length())
        .thenComposeAsync(
            cut -> {
              Set<NodeId> uncut = new HashSet<>(last.surplus());
              uncut.removeAll(cut);
              JudgedGroup settled = last.without(uncut);
              groups.set(groups.size() - 1, settled);
              return isEnough(settled.holders().size(), last.replicas())
                  ? CompletableFuture.<Void>completedFuture(null)
                  : LeftInRecovery.because(
                      "too few copies could be cut to length: uncut=%s, %s"
                          .formatted(uncut, last.found()));
            },
            around.loop());
  }

  private boolean isEnough(int copies, GroupReplicas replicas) {
    return copies >= replicas.requiredCopies() || (accept && copies > 0);
  }

  /**
   * Bytes there never were in the file, whichever node keeps them: readers do not count them
   * either.
   */
  private CompletableFuture<Void> emptyBehind() {
    int last = groups.get(groups.size() - 1).group();
    List<CompletableFuture<?>> emptied = new ArrayList<>();
    for (int group = last + 1; group <= last + GROUPS_BEHIND; group++) {
      emptied.add(empty(group));
    }
    return CompletableFuture.allOf(emptied.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<?> empty(int group) {
    GroupProbe probe = new GroupProbe(around, file, group, epoch, lease);
    List<NodeId> nodes = new ArrayList<>(ring.orElseThrow().replicas(file, group).serving());
    // nodes that did not answer a moment ago are not waited for once more
    nodes.removeAll(silent);
    return probe
        .fence(nodes)
        .thenComposeAsync(
            extents -> {
              List<NodeId> holding =
                  extents.keySet().stream().filter(node -> extents.get(node).held() > 0).toList();
              changed |= !holding.isEmpty();
              return probe.truncate(holding, 0);
            },
            around.loop());
  }

  private MetaRequest closing() {
    JudgedGroup last = groups.get(groups.size() - 1);
    long length = last.group() * geometry().groupSize() + last.length();
    return MetaRequest.newBuilder()
        .setFinishRecovery(
            FinishRecoveryOp.newBuilder()
                .setFile(WireIds.encode(file))
                .setWriteEpoch(epoch)
                .setLength(length)
                .setGivenUp(length < status.getLength())
                .addAllExclusions(ranges(geometry().groupCount(length), JudgedGroup::leftOut))
                .addAllRestored(ranges(geometry().groupCount(length), JudgedGroup::restored))
                .setRingEpoch(ring.map(RingMap::epoch).orElse(0L)))
        .build();
  }

  /** Nodes of each group, with adjoining groups of a node in one range. */
  private List<ExclusionProto> ranges(int end, Function<JudgedGroup, List<NodeId>> nodes) {
    Map<NodeId, ExclusionProto.Builder> open = new TreeMap<>();
    List<ExclusionProto.Builder> all = new ArrayList<>();
    for (JudgedGroup judged : groups) {
      if (judged.group() >= end) {
        break;
      }
      for (NodeId node : nodes.apply(judged)) {
        ExclusionProto.Builder range = open.get(node);
        if (range == null || range.getEndGroup() != judged.group()) {
          range =
              ExclusionProto.newBuilder()
                  .setNode(WireIds.encode(node))
                  .setFirstGroup(judged.group())
                  .setEpoch(epoch);
          open.put(node, range);
          all.add(range);
        }
        range.setEndGroup(judged.group() + 1);
      }
    }
    return all.stream().map(ExclusionProto.Builder::build).toList();
  }

  /** A group on its way to a verdict. */
  private final class Group {
    private final int number;
    private final GroupReplicas replicas;
    private final GroupProbe probe;
    private final Map<NodeId, ReplicaProbe.Extent> extents;

    /** Those nodes of the list that are left out, were asked and answered. */
    private final Map<NodeId, ReplicaProbe.Extent> leftOut = new TreeMap<>();

    private final Map<NodeId, VerifiedGroup> found = new TreeMap<>();
    private final Set<NodeId> holders = new LinkedHashSet<>();
    private final Deque<NodeId> candidates = new ArrayDeque<>();
    private Optional<OtherCopies> others = Optional.empty();
    private VerifiedGroup source = VerifiedGroup.NOTHING;
    private Optional<NodeId> sourceNode = Optional.empty();
    private long length;

    Group(
        int number,
        GroupReplicas replicas,
        GroupProbe probe,
        Map<NodeId, ReplicaProbe.Extent> extents) {
      this.number = number;
      this.replicas = replicas;
      this.probe = probe;
      this.extents = extents;
    }

    private List<NodeId> serving() {
      return ring.orElseThrow().replicas(file, number).serving();
    }

    /**
     * Nodes that are left out, as they took the places of others while the file was written, may
     * get a copy: nothing else makes one before the file is closed.
     */
    CompletableFuture<Void> askLeftOut() {
      List<NodeId> asked = new ArrayList<>(serving());
      asked.removeAll(replicas.readOrder());
      return probe.fence(asked).thenAcceptAsync(leftOut::putAll, around.loop());
    }

    /** Asks all nodes that need not be believed what they have. */
    private CompletableFuture<Void> askOthers() {
      Set<NodeId> asked = new TreeSet<>(ring.orElseThrow().nodes().keySet());
      asked.addAll(serving());
      asked.removeAll(replicas.keepers());
      List<Long> ends =
          extents.values().stream()
              .map(ReplicaProbe.Extent::length)
              .filter(end -> end > 0)
              .distinct()
              .toList();
      // most often nobody has anything, as of a file in which nothing was written
      CompletableFuture<Void> turn =
          ends.isEmpty() ? CompletableFuture.completedFuture(null) : takeTurn();
      return turn.thenComposeAsync(unused -> probe.verify(asked, ends), around.loop())
          .thenAcceptAsync(
              answers -> {
                asked.removeAll(answers.keySet());
                others = Optional.of(new OtherCopies(answers, lease, asked));
              },
              around.loop());
    }

    CompletableFuture<JudgedGroup> judge(Map<NodeId, VerifiedGroup> readBack) {
      found.putAll(readBack);
      GroupCensus.Verdict verdict = new GroupCensus(replicas, found, 0).judge();
      boolean enough =
          !found.isEmpty()
              && verdict.length() >= flushed(number)
              && verdict.length() > 0
              && !hasSpareWithMore(verdict.length())
              && verdict.doubt().isEmpty()
              && extents.size() >= replicas.requiredCopies();
      return enough && !accept
          ? settle(verdict)
          : (leftOut.isEmpty() ? askLeftOut() : CompletableFuture.<Void>completedFuture(null))
              .thenComposeAsync(unused -> askOthers(), around.loop())
              .thenComposeAsync(unused -> judgeWithOthers(verdict), around.loop());
    }

    /** A spare may have been a keeper when the writer wrote. */
    private boolean hasSpareWithMore(long length) {
      return replicas.spares().stream()
          .map(extents::get)
          .anyMatch(extent -> extent != null && extent.length() > length);
    }

    private CompletableFuture<JudgedGroup> judgeWithOthers(GroupCensus.Verdict verdict) {
      VerifiedGroup agreed =
          verdict.holders().stream().findFirst().map(found::get).orElse(VerifiedGroup.NOTHING);
      OtherCopies copies = others.orElseThrow();
      Optional<NodeId> longest = copies.longerThan(agreed);
      if (longest.isEmpty()) {
        return settleUnlessMoreWasFlushed(verdict);
      }
      sourceNode = longest;
      source = copies.found().get(longest.get());
      return haveAllAnswered() || accept
          ? settleUnlessMoreWasFlushed(new GroupCensus(replicas, found, source.verified()).judge())
          : LeftInRecovery.because(
              ("a node that is no keeper has more than the keepers, and one that does not answer"
                      + " may have still more: %s")
                  .formatted(describe()));
    }

    /** Nodes that fell out of the ring map may have what the others lack, as silent ones may. */
    private CompletableFuture<JudgedGroup> settleUnlessMoreWasFlushed(GroupCensus.Verdict verdict) {
      boolean isLess = verdict.length() >= recorded(number) && verdict.length() < flushed(number);
      if (!isLess || accept) {
        return settle(verdict);
      }
      return around
          .holders()
          .get()
          .thenComposeAsync(
              holding -> {
                Set<NodeId> away = new TreeSet<>(holding);
                away.removeAll(ring.orElseThrow().nodes().keySet());
                return haveAllAnswered() && away.isEmpty()
                    ? settle(verdict)
                    : LeftInRecovery.because(
                        "more was flushed than any node has that answers: flushed=%d, away=%s, %s"
                            .formatted(flushed(number), away, describe()));
              },
              around.loop());
    }

    private CompletableFuture<JudgedGroup> settle(GroupCensus.Verdict verdict) {
      if (found.isEmpty() && sourceNode.isEmpty()) {
        return LeftInRecovery.because(
            (extents.isEmpty() ? "no keeper answers: " : "no copy can be read back: ")
                + describe());
      }
      length = verdict.length();
      holders.addAll(verdict.holders());
      if (length < recorded(number) && !mayGiveUp()) {
        return LeftInRecovery.because(
            "no copy that answers has all acknowledged bytes: acknowledged=%d, %s"
                .formatted(recorded(number), describe()));
      }
      if (verdict.doubt().isPresent() && !accept) {
        return LeftInRecovery.because(verdict.doubt().get() + ": " + describe());
      }
      if (length > 0) {
        candidates.addAll(verdict.lacking());
        replicas.spares().stream().filter(extents::containsKey).forEach(candidates::add);
        candidates.addAll(leftOut.keySet());
      }
      if (isNowhere()) {
        holders.addAll(leftOut.keySet());
      }
      sourceNode
          .filter(node -> leftOut.containsKey(node) || extents.containsKey(node))
          .ifPresent(this::believe);
      return copyWhereNeeded();
    }

    /**
     * Whether acknowledged bytes may go that no node has, as after a loss of power of all nodes
     * those may be that were flushed and not synced: the caller accepts it, all nodes were asked
     * and answered, and the bytes are of this lease.
     */
    private boolean mayGiveUp() {
      return accept
          && haveAllAnswered()
          && number * geometry().groupSize() + length >= status.getLeaseStartLength();
    }

    /** Whether all nodes answered and none has a byte of the group. */
    private boolean isNowhere() {
      return length == 0
          && haveAllAnswered()
          && others.orElseThrow().found().values().stream().allMatch(copy -> copy.claimed() == 0);
    }

    private boolean haveAllAnswered() {
      return others.filter(asked -> asked.silent().isEmpty()).isPresent()
          && found.keySet().containsAll(replicas.keepers());
    }

    /** The source is in the list, so it need not copy from itself. */
    private void believe(NodeId node) {
      candidates.remove(node);
      found.put(node, source);
      holders.add(node);
    }

    private CompletableFuture<JudgedGroup> copyWhereNeeded() {
      if (holders.size() >= replicas.requiredCopies() || candidates.isEmpty()) {
        return isEnough(holders.size(), replicas)
            ? CompletableFuture.completedFuture(judged())
            : LeftInRecovery.because("too few copies: " + describe());
      }
      return copyTo(candidates.remove())
          .thenComposeAsync(unused -> copyWhereNeeded(), around.loop());
    }

    /** The copy counts if it reads back the same as its source. */
    private CompletableFuture<Void> copyTo(NodeId node) {
      NodeId from = sourceNode.orElseGet(() -> holders.iterator().next());
      VerifiedGroup wanted = sourceNode.isPresent() ? source : found.get(from);
      VerifiedGroup present = found.getOrDefault(node, VerifiedGroup.NOTHING);
      int same = wanted.sameWholeBlocks(present, geometry().blockSize());
      long blocks = geometry().blockCount(length);
      int first = (int) Math.min(same, blocks - 1);
      boolean primary = ring.orElseThrow().replicas(file, number).owner().equals(node);
      changed = true;
      return probe
          .copy(node, new ReplicaProbe.Copy(from, first, length, epoch, primary))
          .thenComposeAsync(unused -> probe.verify(node, length, List.of()), around.loop())
          .handleAsync(
              (copied, failure) -> {
                boolean good =
                    failure == null
                        && copied.claimed() == length
                        && copied.verified() == length
                        && copied.firstDifference(wanted).isEmpty();
                if (good) {
                  found.put(node, copied);
                  holders.add(node);
                }
                return null;
              },
              around.loop());
    }

    private JudgedGroup judged() {
      List<NodeId> inOrder = serving().stream().filter(holders::contains).toList();
      List<NodeId> restored = inOrder.stream().filter(leftOut::containsKey).toList();
      Map<NodeId, ReplicaProbe.Extent> answered = new TreeMap<>(extents);
      answered.putAll(leftOut);
      List<NodeId> surplus =
          inOrder.stream().filter(node -> answered.get(node).held() > length).toList();
      return new JudgedGroup(number, replicas, length, inOrder, restored, surplus, describe());
    }

    private String describe() {
      Map<NodeId, String> copies = new TreeMap<>();
      extents.forEach(
          (node, extent) ->
              copies.put(
                  node,
                  found.containsKey(node)
                      ? found.get(node).verified() + " of " + extent.length() + " good"
                      : extent.length() + " held"));
      Set<NodeId> missing = new TreeSet<>(replicas.readOrder());
      missing.removeAll(extents.keySet());
      Map<NodeId, Long> elsewhere = new TreeMap<>();
      others.ifPresent(
          asked -> {
            asked.found().forEach((node, group) -> elsewhere.put(node, group.verified()));
            missing.addAll(asked.silent());
          });
      return "file=%s, group=%d, copies=%s, elsewhere=%s, silent=%s, needed=%d"
          .formatted(file, number, copies, elsewhere, missing, replicas.requiredCopies());
    }
  }
}

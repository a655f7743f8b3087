package io.vdfs.datanode.meta.service.ring;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlan;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.ring.RingTerms;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.ChangeRingResult;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.ring.Confirmations;
import io.vdfs.datanode.meta.ring.Presence;
import io.vdfs.datanode.meta.ring.PresentNodes;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import io.vdfs.datanode.meta.state.nodes.RecordedVolumes;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the recorded ring map follow the nodes that are present, as {@link PresentNodes} decides,
 * for one leadership. Whether a change would come of it is found out here by the planner; the
 * change itself is planned again in the log. Confined to the service loop.
 */
public final class RingKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(RingKeeper.class);

  /** The pause before a change that the log did not make is asked for again. */
  private static final Duration RETRY = Duration.ofSeconds(10);

  private final LeaderCalls calls;
  private final RingKeeping world;
  private final ServiceLoop loop;
  private final PresentNodes nodes;
  private final Confirmations confirmations;
  private Optional<Presence> seen = Optional.empty();
  private Optional<String> heldUpBy = Optional.empty();
  private Optional<Input> last = Optional.empty();
  private long settledEpoch;
  private long lastAsked;

  /** The record of the nodes. */
  public record Recorded(RingMap map, NodeMarks marks, RecordedVolumes volumes) {
    private Set<NodeId> holders() {
      Set<NodeId> nodes = new TreeSet<>(volumes.holders());
      nodes.removeAll(notAwaited());
      return nodes;
    }

    /** Nodes that are not waited for: those that are gone, and those that left. */
    Set<NodeId> notAwaited() {
      Set<NodeId> nodes = new TreeSet<>(marks.leaving());
      nodes.removeAll(map.members());
      nodes.addAll(marks.gone());
      return nodes;
    }
  }

  /** All that a plan depends on. */
  private record Input(
      RingMap map, NodeMarks marks, List<RingNode> present, Set<NodeId> back, RingTerms terms) {}

  /**
   * @param term of the leader
   */
  public RingKeeper(LeaderCalls calls, RingKeeping world, ServiceLoop loop, long term) {
    this.calls = calls;
    this.world = world;
    this.loop = loop;
    this.nodes = new PresentNodes(world.patience());
    this.confirmations = new Confirmations(term);
  }

  /**
   * A node may no longer hold what it confirmed.
   *
   * @return the series of confirmations that it begins
   */
  public long beginConfirmations(NodeId node) {
    return confirmations.begin(node);
  }

  /**
   * A node found that it holds all that it is listed for.
   *
   * @return whether that counts
   */
  public boolean confirm(NodeId node, long series, long epoch) {
    return confirmations.confirm(node, series, epoch);
  }

  /** The nodes as they were seen last; empty while nothing can be seen. */
  public Optional<Presence> seen() {
    return seen;
  }

  /** Why the map does not follow missing or new nodes; empty if it does. */
  Optional<String> heldUpBy() {
    return heldUpBy;
  }

  /** Whether the planner has nothing to change in this map, as it was found at the last look. */
  boolean isSettled(RingMap map) {
    return settledEpoch == map.epoch();
  }

  Set<NodeId> confirmed(RingMap map) {
    return confirmations.of(map);
  }

  public void end() {
    world.figures().clear();
  }

  /** Looks once, and changes the map where it has to follow. */
  public CompletableFuture<Void> look() {
    Optional<Collection<RingNode>> live = world.live().get();
    if (live.isEmpty()) {
      nodes.onBlindness();
      seen = Optional.empty();
      holdUp(Optional.of("the leader is not connected to ZooKeeper, so nobody counts as missing"));
      return CompletableFuture.completedFuture(null);
    }
    return recorded().thenComposeAsync(recorded -> follow(recorded, live.get()), loop);
  }

  /** The record of the nodes; empty before there is a map, or while it can't be had. */
  public CompletableFuture<Optional<Recorded>> recorded() {
    return calls
        .call(
            MetaRequest.newBuilder()
                .setClusterRecord(ClusterRecordQuery.getDefaultInstance())
                .build())
        .thenApply(response -> decoded(response.getClusterRecord()));
  }

  /**
   * Nodes on record with volumes that nobody gave up, whether they are in the ring map or not, but
   * for those that are not awaited; fails where there is no map.
   */
  public CompletableFuture<Set<NodeId>> holders() {
    return recorded()
        .thenApply(
            recorded ->
                recorded
                    .map(Recorded::holders)
                    .orElseThrow(() -> new IllegalStateException("no ring map is on record")));
  }

  private static Optional<Recorded> decoded(ClusterRecordProto record) {
    try {
      return record.hasRing()
          ? Optional.of(
              new Recorded(
                  RingCodec.fromProto(record.getRing()),
                  NodeMarks.of(record),
                  RecordedVolumes.of(record)))
          : Optional.empty();
    } catch (VdfsException e) {
      throw new IllegalStateException("the recorded ring map is unreadable", e);
    }
  }

  private CompletableFuture<Void> follow(Optional<Recorded> recorded, Collection<RingNode> live) {
    if (recorded.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    RingMap map = recorded.get().map();
    NodeMarks marks = recorded.get().marks();
    confirmations.onLook(live);
    Presence now = nodes.look(map, live, recorded.get().notAwaited(), loop.nanoTime());
    tell(now);
    seen = Optional.of(now);
    world
        .figures()
        .set(
            map.epoch(),
            now.missing().size(),
            joiningPlaces(map),
            recorded.get().volumes().bad(map.nodes().keySet()));
    Set<NodeId> confirmed = now.heldUpBy().isPresent() ? Set.of() : confirmed(map);
    Set<NodeId> back = new TreeSet<>(marks.gone());
    back.retainAll(now.live());
    Input input =
        new Input(
            map,
            marks,
            now.present(),
            back,
            new RingTerms(marks.leaving(), confirmed, Map.of(), now.massLossAccepted()));
    boolean isKnown = last.filter(input::equals).isPresent();
    if (isKnown && loop.nanoTime() - lastAsked < RETRY.toNanos()) {
      return CompletableFuture.completedFuture(null);
    }
    last = Optional.of(input);
    lastAsked = loop.nanoTime();
    RingPlan plan = RingPlanner.plan(map, input.present(), world.replication(), input.terms());
    Optional<String> reason = now.heldUpBy().or(() -> reason(plan, now, marks));
    if (plan.map().equals(map) && marks.after(map, back).equals(marks)) {
      settledEpoch = plan.outcome() == RingPlan.Outcome.UNCHANGED ? map.epoch() : 0;
      holdUp(reason);
      return CompletableFuture.completedFuture(null);
    }
    tellReplaced(map, plan.map(), now);
    return change(input).thenAcceptAsync(answer -> onAnswer(answer, map, reason), loop);
  }

  static int joiningPlaces(RingMap map) {
    return map.arcs().stream().mapToInt(arc -> arc.joining().size()).sum();
  }

  private static Optional<String> reason(RingPlan plan, Presence now, NodeMarks marks) {
    return switch (plan.outcome()) {
      case TOO_FEW_NODES ->
          Optional.of(
              "fewer nodes are there than each arc has copies: present=%d, copies=%d"
                  .formatted(now.present().size(), plan.map().replication()));
      case FROZEN ->
          Optional.of(
              "more than a third of the ring's nodes are missing: missing=%d, nodes=%d"
                  .formatted(now.missing().size(), plan.map().nodes().size()));
      case FRESH, CHANGED, UNCHANGED -> whyNobodyLeaves(plan.map(), now, marks);
    };
  }

  private static Optional<String> whyNobodyLeaves(RingMap map, Presence now, NodeMarks marks) {
    long staying =
        now.present().stream().filter(node -> !marks.leaving().contains(node.id())).count();
    return staying < map.replication() && !Collections.disjoint(map.members(), marks.leaving())
        ? Optional.of(
            "nodes cannot leave, as fewer others are there than each arc has copies: others=%d, copies=%d"
                .formatted(staying, map.replication()))
        : Optional.empty();
  }

  private CompletableFuture<MetaResponse> change(Input input) {
    ChangeRingOp.Builder op =
        ChangeRingOp.newBuilder()
            .setKnownEpoch(input.map().epoch())
            .setAcceptMassLoss(input.terms().massLossAccepted());
    input.present().forEach(node -> op.addPresent(RingCodec.toProto(node)));
    input.terms().confirmed().stream()
        .sorted()
        .forEach(node -> op.addConfirmed(WireIds.encode(node)));
    input.back().forEach(node -> op.addBack(WireIds.encode(node)));
    return calls.call(MetaRequest.newBuilder().setChangeRing(op).build());
  }

  private static void tellReplaced(RingMap before, RingMap after, Presence now) {
    now.missing()
        .forEach(
            (node, missing) -> {
              long taken = places(before, node) - places(after, node);
              if (taken > 0) {
                LOG.warn(
                    "Others take places of a missing node: node={}, places={}, missing seconds={}",
                    node,
                    taken,
                    missing.since().toSeconds());
              }
            });
  }

  private static long places(RingMap map, NodeId node) {
    return map.arcs().stream().filter(arc -> arc.contains(node)).count();
  }

  private void onAnswer(MetaResponse response, RingMap before, Optional<String> reason) {
    if (response.hasError()) {
      last = Optional.empty();
      holdUp(Optional.of("the change was refused: " + response.getError().getMessage()));
      return;
    }
    holdUp(reason);
    ChangeRingResult result = response.getChangeRing();
    if (result.getEpoch() == before.epoch()) {
      LOG.debug("The ring map stays: epoch={}, outcome={}", before.epoch(), result.getOutcome());
      return;
    }
    LOG.info(
        "The ring map changed: epoch={}, outcome={}, places to copy={}",
        result.getEpoch(),
        result.getOutcome(),
        result.getMoved());
  }

  /** Logs once which nodes are missing, and once which are back. */
  private void tell(Presence now) {
    Map<NodeId, Presence.Missing> before = seen.map(Presence::missing).orElse(Map.of());
    now.missing()
        .forEach(
            (node, missing) -> {
              if (!before.containsKey(node)) {
                LOG.warn(
                    "A node of the ring is missing: node={}, others take its places in seconds={}",
                    node,
                    missing.left().map(Duration::toSeconds).map(Object::toString).orElse("never"));
              }
            });
    before
        .keySet()
        .forEach(
            node -> {
              if (now.live().contains(node)) {
                LOG.info("A node of the ring is back: node={}", node);
              }
            });
  }

  private void holdUp(Optional<String> reason) {
    if (!reason.equals(heldUpBy)) {
      reason.ifPresent(why -> LOG.warn("The ring map does not follow: {}", why));
      heldUpBy = reason;
    }
  }
}

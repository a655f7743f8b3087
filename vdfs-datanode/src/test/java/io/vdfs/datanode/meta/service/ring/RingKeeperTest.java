package io.vdfs.datanode.meta.service.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.ConfirmHoldingsCall;
import io.vdfs.common.wire.proto.ConfirmHoldingsResult;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.ReportVolumesOp;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.common.wire.proto.WeighNodesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.meta.service.FakeReplicas;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.LeaderSurroundings;
import io.vdfs.datanode.meta.service.LeaseSettings;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.state.FlushedLengths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The changes that a leader makes to the ring, on a real state. */
class RingKeeperTest {
  private static final int ARCS = MetadataHarness.GEOMETRY.arcs();
  private static final RingPatience PATIENCE =
      new RingPatience(Duration.ofSeconds(45), Duration.ofMinutes(10), Duration.ofMinutes(20));

  private final ManualLoop loop = new ManualLoop();
  private final MetadataHarness meta = new MetadataHarness();
  private final RingFigures figures = new RingFigures();
  private final List<OpCase> asked = new ArrayList<>();
  private final Map<Integer, RingNode> live = new TreeMap<>();
  private Set<NodeId> members = Set.of();
  private boolean connected = true;
  private boolean unavailable;
  private final LeaderServices services =
      new LeaderServices(
          new LeaderSurroundings(
              new FakeReplicas(MetadataHarness.GEOMETRY),
              Optional::empty,
              MetadataHarness.GEOMETRY,
              LeaseSettings.DEFAULT,
              new FlushedLengths(),
              new RingKeeping(this::live, () -> members, 3, PATIENCE, figures)),
          loop);

  private Optional<Collection<RingNode>> live() {
    return connected ? Optional.of(List.copyOf(live.values())) : Optional.empty();
  }

  private static NodeId id(int number) {
    try {
      return WireIds.nodeId(MetadataHarness.id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static RingNode node(int number, int port) {
    return new RingNode(id(number), "host" + number, port, 2, 3, 0, "/r", 1, 1);
  }

  private void start(int first, int last) {
    IntStream.rangeClosed(first, last).forEach(number -> live.put(number, node(number, 1)));
  }

  /** Six nodes deal the ring. */
  @BeforeEach
  void lead() {
    start(1, 6);
    RingMap map = RingPlanner.plan(Optional.empty(), live.values(), 3, ARCS).map();
    meta.recordRing(0, map);
    services.attach(
        new LeaderCalls() {
          @Override
          public CompletableFuture<MetaResponse> call(MetaRequest request) {
            return callAs(request, MetadataHarness.ROOT);
          }

          @Override
          public CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller) {
            asked.add(request.getOpCase());
            return CompletableFuture.completedFuture(answer(request, caller));
          }
        });
    services.onLeader(1);
    loop.run();
  }

  private MetaResponse answer(MetaRequest request, CallerProto caller) {
    MetaRequest called = request.toBuilder().setCaller(caller).setTimeMillis(1_000).build();
    boolean isChange = request.hasChangeRing();
    if (isChange && unavailable) {
      return Errors.response(ErrorCode.UNAVAILABLE, "planted");
    }
    return isChange ? meta.state().apply(called) : meta.state().query(called);
  }

  private RepairReportResult report() {
    CompletableFuture<MetaResponse> answer = services.repairReport();
    loop.run();
    MetaResponse response = answer.join();
    assertFalse(response.hasError(), response::toString);
    return response.getRepairReport();
  }

  private NodeStateProto state(int number) {
    return report().getNodesList().stream()
        .filter(state -> state.getId().equals(MetadataHarness.id(number)))
        .findFirst()
        .orElseThrow();
  }

  private void confirm(int number, long epoch) {
    ConfirmHoldingsCall.Builder call =
        ConfirmHoldingsCall.newBuilder().setNode(MetadataHarness.id(number));
    long series = confirm(call.build()).getSeries();
    assertTrue(confirm(call.setSeries(series).setRingEpoch(epoch).build()).getCounts());
  }

  private ConfirmHoldingsResult confirm(ConfirmHoldingsCall call) {
    CompletableFuture<MetaResponse> answer = services.confirmHoldings(call);
    loop.run();
    return answer.join().getConfirmHoldings();
  }

  private void promoteAll() {
    for (int number = 1; number <= 9; number++) {
      PromoteOp.Builder op = PromoteOp.newBuilder().setNode(MetadataHarness.id(number));
      IntStream.range(0, ARCS).forEach(op::addArcs);
      meta.ok(meta.request().setPromote(op));
    }
  }

  private void passes(Duration time) {
    loop.advance(time);
  }

  private long changesAsked() {
    return asked.stream().filter(OpCase.CHANGE_RING::equals).count();
  }

  @Test
  void shouldLeaveARingAloneThatFits() {
    passes(Duration.ofMinutes(30));
    assertEquals(1, meta.ring().epoch());
    assertEquals(0, changesAsked());
    assertEquals(1, figures.epoch());
    RepairReportResult report = report();
    assertEquals("", report.getHeldUpBy());
    assertEquals(6, report.getNodesCount());
    assertEquals(
        3 * ARCS, report.getNodesList().stream().mapToInt(n -> n.getServingPlaces()).sum());
  }

  @Test
  void shouldLetOthersTakeThePlacesOfANodeThatStaysAway() {
    live.remove(6);
    passes(Duration.ofMinutes(9));
    assertEquals(1, meta.ring().epoch());
    assertEquals(1, figures.missingNodes());
    NodeStateProto missing = state(6);
    assertFalse(missing.getLive());
    assertEquals(539_000, missing.getMissingMillis());
    assertEquals(61_000, missing.getReplacedInMillis());
    passes(Duration.ofSeconds(62));
    RingMap ring = meta.ring();
    assertEquals(2, ring.epoch());
    assertFalse(ring.node(id(6)).isPresent());
    assertEquals(0, figures.missingNodes());
    assertEquals(ARCS / 2, figures.joiningPlaces());
    assertEquals(ARCS / 2, report().getJoiningPlaces());
    assertEquals(1, changesAsked());
  }

  private MetaResponse check(NodeMarkProto mark, int... nodes) {
    MarkNodesOp.Builder op = MarkNodesOp.newBuilder().setMark(mark);
    IntStream.of(nodes).forEach(number -> op.addNodes(MetadataHarness.id(number)));
    return check(MetaRequest.newBuilder().setMarkNodes(op), MetadataHarness.ROOT);
  }

  private MetaResponse check(MetaRequest.Builder decision, CallerProto caller) {
    CompletableFuture<MetaResponse> answer =
        services.checkDecision(decision.setCaller(caller).build());
    loop.run();
    return answer.join();
  }

  private void mark(NodeMarkProto mark, int... nodes) {
    MetaResponse checked = check(mark, nodes);
    assertFalse(checked.hasError(), checked::toString);
    MarkNodesOp.Builder op = MarkNodesOp.newBuilder().setMark(mark);
    IntStream.of(nodes).forEach(number -> op.addNodes(MetadataHarness.id(number)));
    meta.ok(meta.request().setMarkNodes(op));
  }

  private void refuse(String part, NodeMarkProto mark, int... nodes) {
    MetaResponse answer = check(mark, nodes);
    assertEquals(ErrorCode.INVALID_ARGUMENT.name(), answer.getError().getCode());
    assertTrue(answer.getError().getMessage().contains(part), answer::toString);
  }

  private void reportVolumes(int node, VolumeStateProto... states) {
    NodeVolumesProto.Builder report =
        NodeVolumesProto.newBuilder().setNode(MetadataHarness.id(node));
    for (VolumeStateProto state : states) {
      report.addVolumes(
          KnownVolumeProto.newBuilder()
              .setId(MetadataHarness.id(10 * node + report.getVolumesCount()))
              .setDirectory("/d" + report.getVolumesCount())
              .setState(state));
    }
    meta.ok(meta.request().setReportVolumes(ReportVolumesOp.newBuilder().setVolumes(report)));
  }

  private MetaResponse checkGivenUp(CallerProto caller, int node, int... volumes) {
    GiveUpVolumesOp.Builder op = GiveUpVolumesOp.newBuilder().setNode(MetadataHarness.id(node));
    IntStream.of(volumes).forEach(volume -> op.addVolumes(MetadataHarness.id(volume)));
    return check(MetaRequest.newBuilder().setGiveUpVolumes(op), caller);
  }

  @Test
  void shouldGiveUpNoVolumeThatALiveNodeServes() {
    reportVolumes(
        6,
        VolumeStateProto.VOLUME_SERVING,
        VolumeStateProto.VOLUME_SUSPECT,
        VolumeStateProto.VOLUME_FAILED);
    reportVolumes(9, VolumeStateProto.VOLUME_FAILED);
    passes(Duration.ofSeconds(1));
    assertEquals(2, figures.badVolumes(), "of nodes of the ring map");
    assertEquals(3, state(6).getVolumesCount());
    assertEquals("/d2", state(6).getVolumes(2).getDirectory());

    MetaResponse refused = checkGivenUp(MetadataHarness.ROOT, 6, 61, 60);
    assertEquals(ErrorCode.INVALID_ARGUMENT.name(), refused.getError().getCode());
    String why = refused.getError().getMessage();
    assertTrue(why.contains(id(60).toString()) && why.contains("/d0"), why);
    assertTrue(why.contains("stop the node's daemon"), why);
    assertFalse(checkGivenUp(MetadataHarness.ROOT, 6, 61, 62).hasError());
    assertFalse(checkGivenUp(MetadataHarness.ROOT, 6, 4711).hasError(), "the operation says it");
    assertEquals(
        ErrorCode.PERMISSION_DENIED.name(),
        checkGivenUp(MetadataHarness.ALICE, 6, 61).getError().getCode());
    live.remove(6);
    passes(Duration.ofSeconds(1));
    assertFalse(checkGivenUp(MetadataHarness.ROOT, 6, 60).hasError());
  }

  @Test
  void shouldLetANodeLeaveAndForgetItWhenItIsStopped() {
    passes(Duration.ofSeconds(1));
    members = Set.of(id(6));
    mark(NodeMarkProto.MARK_LEAVING, 6);
    passes(Duration.ofSeconds(2));
    assertEquals(ARCS / 2, figures.joiningPlaces());
    assertTrue(state(6).getLeaving());
    assertTrue(state(6).getMember());
    assertEquals(ARCS / 2, state(6).getServingPlaces());
    promoteAll();
    passes(Duration.ofSeconds(2));
    assertEquals(ARCS / 2, state(6).getServingPlaces(), "nobody confirmed yet");
    for (int number = 1; number <= 5; number++) {
      confirm(number, meta.ring().epoch());
    }
    passes(Duration.ofSeconds(2));
    assertEquals(0, state(6).getServingPlaces());
    live.remove(6);
    passes(Duration.ofSeconds(2));
    assertFalse(meta.ring().node(id(6)).isPresent(), "nobody waits for it");
    assertEquals(0, figures.missingNodes());
    start(6, 6);
    passes(Duration.ofSeconds(2));
    assertEquals(0, state(6).getJoiningPlaces());
    assertTrue(state(6).getLeaving());
    mark(NodeMarkProto.MARK_STAYING, 6);
    passes(Duration.ofSeconds(2));
    assertTrue(state(6).getJoiningPlaces() > 0);
  }

  @Test
  void shouldSayWhyANodeThatIsToLeaveDoesNot() {
    passes(Duration.ofSeconds(1));
    mark(NodeMarkProto.MARK_LEAVING, 4, 5, 6);
    IntStream.rangeClosed(3, 3).forEach(live::remove);
    passes(Duration.ofMinutes(21));
    assertTrue(report().getHeldUpBy().contains("nodes cannot leave"), () -> report().getHeldUpBy());
  }

  @Test
  void shouldTakeThePlacesOfANodeAtOnceThatIsGone() {
    live.remove(6);
    passes(Duration.ofSeconds(2));
    mark(NodeMarkProto.MARK_GONE, 6);
    passes(Duration.ofSeconds(2));
    assertFalse(meta.ring().node(id(6)).isPresent());
    assertEquals(ARCS / 2, figures.joiningPlaces());
    // back, it is a new one; missing again, it is waited for
    start(6, 6);
    passes(Duration.ofSeconds(2));
    assertTrue(meta.ring().node(id(6)).isPresent());
    live.remove(6);
    passes(Duration.ofSeconds(30));
    assertTrue(meta.ring().node(id(6)).isPresent());
  }

  @Test
  void shouldForgetThatANodeIsGoneThatIsBackBeforeTheMapWentOn() {
    live.remove(6);
    passes(Duration.ofSeconds(2));
    mark(NodeMarkProto.MARK_GONE, 6);
    start(6, 6);
    passes(Duration.ofSeconds(2));
    assertEquals(1, meta.ring().epoch());
    assertFalse(state(6).getGone());
    live.remove(6);
    passes(Duration.ofSeconds(30));
    assertTrue(meta.ring().node(id(6)).isPresent(), "it is waited for");
  }

  @Test
  void shouldRefuseMarksThatDoNotSuitTheNodesAlive() {
    passes(Duration.ofSeconds(1));
    refuse("is not gone", NodeMarkProto.MARK_GONE, 6);
    members = Set.of(id(1), id(2), id(3));
    assertFalse(check(NodeMarkProto.MARK_LEAVING, 1, 2, 3).hasError());
    refuse("too few members", NodeMarkProto.MARK_LEAVING, 1, 4, 5, 6);
    members = Set.of(id(1), id(2), id(3), id(4), id(5));
    assertFalse(check(NodeMarkProto.MARK_LEAVING, 1, 2, 6).hasError(), "three stay");
    refuse("too few members", NodeMarkProto.MARK_LEAVING, 1, 2, 3, 6);
    live.remove(6);
    passes(Duration.ofSeconds(1));
    refuse("only a node that is alive can leave", NodeMarkProto.MARK_LEAVING, 6);
    refuse("while others are missing", NodeMarkProto.MARK_LEAVING, 1);
    connected = false;
    passes(Duration.ofSeconds(1));
    assertEquals(
        ErrorCode.UNAVAILABLE.name(), check(NodeMarkProto.MARK_GONE, 6).getError().getCode());
    assertEquals(
        ErrorCode.PERMISSION_DENIED.name(),
        check(
                MetaRequest.newBuilder().setMarkNodes(MarkNodesOp.getDefaultInstance()),
                MetadataHarness.ALICE)
            .getError()
            .getCode());
  }

  private static MetaRequest.Builder weigh(int node, double weight) {
    return MetaRequest.newBuilder()
        .setWeighNodes(
            WeighNodesOp.newBuilder()
                .addWeights(
                    NodeWeightProto.newBuilder()
                        .setNode(MetadataHarness.id(node))
                        .setWeight(weight)));
  }

  @Test
  void shouldLetTheRingFollowWeightsAndSayWhenItHas() {
    passes(Duration.ofSeconds(1));
    assertTrue(report().getSettled());
    assertFalse(check(weigh(6, 2), MetadataHarness.ROOT).hasError());
    meta.ok(meta.request().setWeighNodes(weigh(6, 2).getWeighNodes()));
    assertFalse(report().getSettled(), "nobody has planned with the new weights yet");
    passes(Duration.ofSeconds(1));
    assertTrue(report().getJoiningPlaces() > 0);
    passes(Duration.ofSeconds(1));
    assertTrue(report().getSettled(), "nothing is to be changed before a node has copied");

    live.remove(5);
    passes(Duration.ofSeconds(1));
    MetaResponse refused = check(weigh(6, 1), MetadataHarness.ROOT);
    assertTrue(
        refused.getError().getMessage().contains("while others are missing"), refused::toString);
    assertEquals(
        ErrorCode.PERMISSION_DENIED.name(),
        check(weigh(6, 1), MetadataHarness.ALICE).getError().getCode());
  }

  @Test
  void shouldKeepWaitingForANodeThatComesBack() {
    live.remove(6);
    passes(Duration.ofMinutes(9));
    start(6, 6);
    passes(Duration.ofSeconds(2));
    live.remove(6);
    passes(Duration.ofMinutes(9));
    assertEquals(1, meta.ring().epoch());
  }

  @Test
  void shouldStartAnewAsANewLeader() {
    live.remove(6);
    passes(Duration.ofMinutes(9));
    services.onFollower();
    loop.run();
    assertEquals(0, figures.epoch());
    services.onLeader(2);
    passes(Duration.ofMinutes(9));
    assertEquals(1, meta.ring().epoch());
    passes(Duration.ofMinutes(2));
    assertEquals(2, meta.ring().epoch());
  }

  @Test
  void shouldFollowANodeToItsNewAddressAtOnce() {
    live.put(3, node(3, 4711));
    passes(Duration.ofSeconds(1));
    assertEquals(node(3, 4711), meta.ring().node(id(3)).orElseThrow());
    assertEquals(2, meta.ring().epoch());
  }

  @Test
  void shouldGiveUpPlacesToANewNodeOnceAllOthersHoldWhatTheyShould() {
    start(7, 7);
    passes(Duration.ofSeconds(1));
    assertEquals(2, meta.ring().epoch());
    int joining = meta.ring().arcs().stream().mapToInt(arc -> arc.joining().size()).sum();
    assertTrue(joining > 0);
    promoteAll();
    RingMap promoted = meta.ring();
    passes(Duration.ofMinutes(5));
    assertEquals(
        joining, meta.ring().arcs().stream().filter(arc -> arc.serving().size() == 4).count());
    for (int number = 1; number <= 7; number++) {
      confirm(number, promoted.epoch() - 1);
    }
    passes(Duration.ofMinutes(5));
    assertEquals(promoted.arcs().size(), ARCS);
    assertEquals(
        joining,
        meta.ring().arcs().stream().filter(arc -> arc.serving().size() == 4).count(),
        "by an older map");
    for (int number = 1; number <= 7; number++) {
      confirm(number, meta.ring().epoch());
    }
    assertTrue(state(7).getConfirmed());
    passes(Duration.ofSeconds(1));
    meta.ring().arcs().forEach(arc -> assertEquals(3, arc.serving().size()));
    assertFalse(state(7).getConfirmed(), "the map is another one now");
  }

  @Test
  void shouldForgetWhatWasConfirmedWhenItsLeadershipEnds() {
    start(7, 7);
    passes(Duration.ofSeconds(1));
    promoteAll();
    passes(Duration.ofSeconds(2));
    connected = false;
    for (int number = 1; number <= 7; number++) {
      confirm(number, meta.ring().epoch());
    }
    services.onFollower();
    services.onLeader(2);
    connected = true;
    passes(Duration.ofMinutes(2));
    assertTrue(meta.ring().arcs().stream().anyMatch(arc -> arc.serving().size() == 4));
  }

  @Test
  void shouldAskNowAndThenForWhatTheLogDidNotDo() {
    start(7, 7);
    passes(Duration.ofSeconds(1));
    promoteAll();
    passes(Duration.ofSeconds(2));
    // each arc that a node is to leave has a group that one of the others lacks
    RingMap ring = meta.ring();
    long file = whole("/f", ring);
    for (int group = 0; group < ARCS; group++) {
      List<NodeId> serving = ring.replicas(file, group).serving();
      if (serving.size() > 3) {
        lacks(serving.get(0), file, group);
      }
    }
    RepairReportResult report = report();
    assertTrue(report.getGroupsLacking() > 0);
    assertEquals(report.getGroupsLacking() * MetadataHarness.GROUP, report.getBytesLacking());
    assertEquals(0, report.getGroupsWithOneCopy());
    for (int number = 1; number <= 7; number++) {
      confirm(number, ring.epoch());
    }
    long before = changesAsked();
    passes(Duration.ofSeconds(29));
    assertEquals(ring, meta.ring());
    assertEquals(before + 3, changesAsked());
  }

  /** A file with a group on each arc that all nodes that serve it hold. */
  private long whole(String path, RingMap ring) {
    long file = meta.open(path, 9).getFileId();
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(MetadataHarness.key(file))
            .setHolder(MetadataHarness.id(9))
            .setWriteEpoch(1)
            .setRequiredCopies(2)
            .setLength(ARCS * MetadataHarness.GROUP);
    for (int group = 0; group < ARCS; group++) {
      GroupSyncProto.Builder synced = GroupSyncProto.newBuilder().setGroup(group);
      ring.replicas(file, group).serving().forEach(node -> synced.addNodes(WireIds.encode(node)));
      op.addSynced(synced);
    }
    meta.ok(meta.request().setComplete(op));
    return file;
  }

  private void lacks(NodeId node, long file, int group) {
    GroupKeyProto key =
        GroupKeyProto.newBuilder().setFile(MetadataHarness.key(file)).setGroup(group).build();
    meta.ok(
        meta.request()
            .setReportLacking(
                ReportLackingOp.newBuilder().setNode(WireIds.encode(node)).addGroups(key)));
  }

  @Test
  void shouldTakeNoNodeForMissingWithoutZooKeeper() {
    live.clear();
    connected = false;
    passes(Duration.ofHours(5));
    assertEquals(1, meta.ring().epoch());
    assertTrue(report().getHeldUpBy().contains("ZooKeeper"), report().getHeldUpBy());
    connected = true;
    start(1, 5);
    passes(Duration.ofMinutes(9));
    assertEquals(1, meta.ring().epoch());
    assertEquals("", report().getHeldUpBy());
  }

  @Test
  void shouldHoldWhereMoreThanAThirdIsMissing() {
    Set.of(1, 2, 3).forEach(live::remove);
    start(8, 8);
    passes(Duration.ofMinutes(19));
    assertEquals(1, meta.ring().epoch());
    assertTrue(report().getHeldUpBy().contains("missing=3, nodes=6"), report().getHeldUpBy());
    passes(Duration.ofMinutes(2));
    assertTrue(meta.ring().epoch() > 1);
    assertEquals("", report().getHeldUpBy());
    // an arc that no other node serves still waits for its nodes
    meta.ring().arcs().forEach(arc -> assertFalse(arc.serving().isEmpty()));
  }

  @Test
  void shouldSayThatTooFewNodesAreThere() {
    live.keySet().retainAll(Set.of(1, 2));
    passes(Duration.ofMinutes(25));
    assertEquals(1, meta.ring().epoch());
    assertTrue(report().getHeldUpBy().contains("present=2, copies=3"), report().getHeldUpBy());
  }

  @Test
  void shouldTryAgainWhatWasRefused() {
    unavailable = true;
    live.put(3, node(3, 4711));
    passes(Duration.ofSeconds(5));
    assertEquals(1, meta.ring().epoch());
    assertTrue(report().getHeldUpBy().contains("planted"));
    unavailable = false;
    passes(Duration.ofSeconds(2));
    assertEquals(2, meta.ring().epoch());
    assertEquals("", report().getHeldUpBy());
  }

  @Test
  void shouldRefuseConfirmationsWithoutANode() {
    CompletableFuture<MetaResponse> answer =
        services.confirmHoldings(
            ConfirmHoldingsCall.newBuilder().setNode(ByteString.copyFromUtf8("x")).build());
    loop.run();
    assertEquals("INVALID_ARGUMENT", answer.join().getError().getCode());
  }
}

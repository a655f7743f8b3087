package io.vdfs.datanode.meta.service.ring;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LackingProto;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.ring.Presence;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Reports the state of the cluster's copies. What is recorded as lacking is read page by page, so
 * the sums are of a while rather than of a moment. Made for one answer; confined to the service
 * loop.
 */
public final class RepairReport {
  private final LeaderCalls calls;
  private final RingKeeper keeper;
  private final Collection<RingNode> live;
  private final Set<NodeId> members;
  private final ServiceLoop loop;
  private final RepairReportResult.Builder result = RepairReportResult.newBuilder();
  private final Map<ByteString, Long> lackingByNode = new HashMap<>();

  /**
   * @param live what the nodes alive publish
   * @param members of the metadata group
   */
  public RepairReport(
      LeaderCalls calls,
      RingKeeper keeper,
      Collection<RingNode> live,
      Set<NodeId> members,
      ServiceLoop loop) {
    this.calls = calls;
    this.keeper = keeper;
    this.live = live;
    this.members = members;
    this.loop = loop;
  }

  /** A RepairReportResult, or an error. */
  public CompletableFuture<MetaResponse> make() {
    return keeper
        .recorded()
        .thenComposeAsync(
            recorded ->
                recorded.isEmpty()
                    ? CompletableFuture.completedFuture(
                        answer(result.setHeldUpBy("no ring map is recorded yet")))
                    : addLacking(recorded.get(), 0),
            loop);
  }

  private CompletableFuture<MetaResponse> addLacking(RingKeeper.Recorded recorded, long after) {
    MetaRequest page =
        MetaRequest.newBuilder()
            .setListLacking(ListLackingQuery.newBuilder().setAfter(after))
            .build();
    return calls
        .call(page)
        .thenComposeAsync(
            response -> {
              if (response.hasError()) {
                return CompletableFuture.completedFuture(response);
              }
              ListLackingResult lacking = response.getLacking();
              add(lacking);
              return lacking.getMore()
                  ? addLacking(recorded, lacking.getReached())
                  : addLoss(recorded);
            },
            loop);
  }

  private CompletableFuture<MetaResponse> addLoss(RingKeeper.Recorded recorded) {
    ReviewFilesQuery ofNothing =
        ReviewFilesQuery.newBuilder().setKnownRingEpoch(recorded.map().epoch()).build();
    return calls
        .call(MetaRequest.newBuilder().setReviewFiles(ofNothing).build())
        .thenApplyAsync(
            response -> {
              result.setLossOpen(response.getReviewFiles().getLossOpen());
              return response.hasError() ? response : answer(withRing(recorded));
            },
            loop);
  }

  private void add(ListLackingResult page) {
    Set<LackingProto> alone = new HashSet<>();
    long bytes = 0;
    for (LackingProto lacking : page.getGroupsList()) {
      bytes += lacking.getLength();
      lackingByNode.merge(lacking.getNode(), 1L, Long::sum);
      if (lacking.getCopiesLeft() <= 1) {
        // a group has an entry for each node that lacks it
        alone.add(
            LackingProto.newBuilder()
                .setFile(lacking.getFile())
                .setGroup(lacking.getGroup())
                .build());
      }
    }
    result
        .setGroupsLacking(result.getGroupsLacking() + page.getGroupsCount())
        .setBytesLacking(result.getBytesLacking() + bytes)
        .setGroupsWithOneCopy(result.getGroupsWithOneCopy() + alone.size());
  }

  private RepairReportResult.Builder withRing(RingKeeper.Recorded recorded) {
    RingMap map = recorded.map();
    Map<NodeId, RingNode> nodes = new TreeMap<>(map.nodes());
    live.forEach(node -> nodes.put(node.id(), node));
    Set<NodeId> confirmed = keeper.confirmed(map);
    Map<NodeId, NodeStateProto.Builder> states = new TreeMap<>();
    nodes.forEach(
        (id, node) ->
            states.put(
                id,
                state(node)
                    .addAllVolumes(recorded.volumes().of(id).values())
                    .setConfirmed(confirmed.contains(id))
                    .setLeaving(recorded.marks().leaving().contains(id))
                    .setGone(recorded.marks().gone().contains(id))));
    map.arcs()
        .forEach(
            arc -> {
              arc.serving().forEach(id -> add(states.get(id), 1, 0));
              arc.joining().forEach(id -> add(states.get(id), 0, 1));
            });
    states.values().forEach(result::addNodes);
    return result
        .setRingEpoch(map.epoch())
        .setJoiningPlaces(RingKeeper.joiningPlaces(map))
        .setHeldUpBy(keeper.heldUpBy().orElse(""))
        .setSettled(keeper.isSettled(map));
  }

  private NodeStateProto.Builder state(RingNode node) {
    ByteString id = WireIds.encode(node.id());
    NodeStateProto.Builder state =
        NodeStateProto.newBuilder()
            .setId(id)
            .setHost(node.host())
            .setControlPort(node.controlPort())
            .setMember(members.contains(node.id()))
            .setLive(keeper.seen().filter(seen -> seen.live().contains(node.id())).isPresent())
            .setGroupsLacking(lackingByNode.getOrDefault(id, 0L));
    Optional<Presence.Missing> missing = keeper.seen().map(seen -> seen.missing().get(node.id()));
    missing.ifPresent(
        gone -> {
          state.setMissingMillis(gone.since().toMillis());
          gone.left().ifPresent(left -> state.setReplacedInMillis(left.toMillis()));
        });
    return state;
  }

  private static void add(NodeStateProto.Builder state, int serving, int joining) {
    state
        .setServingPlaces(state.getServingPlaces() + serving)
        .setJoiningPlaces(state.getJoiningPlaces() + joining);
  }

  private static MetaResponse answer(RepairReportResult.Builder report) {
    return MetaResponse.newBuilder().setRepairReport(report).build();
  }
}

package io.vdfs.client.admin;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of the cluster's copies, as the leader of the metadata group sees it. Immutable.
 *
 * @param ringEpoch of the ring map that the leader goes by
 * @param missing copies of groups that are recorded as missing
 * @param missingBytes of these copies
 * @param lastCopies groups among them that have one copy left, or none
 * @param joiningPlaces places of arcs whose blocks are still being copied to the node there
 * @param nodes of the ring map, and further ones that are alive
 * @param heldUpBy why the ring map does not follow what is missing; empty if it does
 * @param lossOpen whether metadata were lost and no operator accepted that, so that no node treats
 *     files as garbage that the metadata do not know
 * @param settled whether the leader looked at this ring map and found nothing to change in it
 */
public record CopiesReport(
    long ringEpoch,
    long missing,
    long missingBytes,
    long lastCopies,
    int joiningPlaces,
    List<Node> nodes,
    String heldUpBy,
    boolean lossOpen,
    boolean settled) {
  public CopiesReport {
    nodes = List.copyOf(nodes);
  }

  /**
   * A node and what it is listed for.
   *
   * @param controlPort of the host
   * @param missing for how long; zero where it lives, and where a new leader has not seen it yet
   * @param replacedIn where it is missing: time until others take its places; zero where that has
   *     happened, or never will
   * @param servingPlaces arcs that it serves
   * @param joiningPlaces arcs that it copies, to serve them then
   * @param confirmed whether it has found by the present ring map that it holds all it should
   * @param lacking copies of groups that it should have and is recorded to lack
   * @param decision about it
   * @param member whether it is a member of the metadata group
   * @param volumes that it has and had, as it reported them; none before it did
   */
  public record Node(
      NodeId id,
      String host,
      int controlPort,
      boolean live,
      Duration missing,
      Duration replacedIn,
      int servingPlaces,
      int joiningPlaces,
      boolean confirmed,
      long lacking,
      NodeDecision decision,
      boolean member,
      List<KnownVolume> volumes) {
    public Node {
      volumes = List.copyOf(volumes);
    }

    /** Arcs that it is listed for. */
    public int places() {
      return servingPlaces + joiningPlaces;
    }

    /** Whether it is waited for, or other nodes have to take its places. */
    public boolean isMissed() {
      return !live && places() > 0;
    }
  }

  /**
   * Reads what the leader answered.
   *
   * @throws VdfsException INVALID_ARGUMENT if the id of a node or volume is none
   */
  public static CopiesReport of(RepairReportResult message) throws VdfsException {
    List<Node> nodes = new ArrayList<>();
    for (NodeStateProto node : message.getNodesList()) {
      nodes.add(
          new Node(
              WireIds.nodeId(node.getId()),
              node.getHost(),
              node.getControlPort(),
              node.getLive(),
              Duration.ofMillis(node.getMissingMillis()),
              Duration.ofMillis(node.getReplacedInMillis()),
              node.getServingPlaces(),
              node.getJoiningPlaces(),
              node.getConfirmed(),
              node.getGroupsLacking(),
              decision(node),
              node.getMember(),
              volumes(node)));
    }
    return new CopiesReport(
        message.getRingEpoch(),
        message.getGroupsLacking(),
        message.getBytesLacking(),
        message.getGroupsWithOneCopy(),
        message.getJoiningPlaces(),
        nodes,
        message.getHeldUpBy(),
        message.getLossOpen(),
        message.getSettled());
  }

  private static List<KnownVolume> volumes(NodeStateProto node) throws VdfsException {
    List<KnownVolume> volumes = new ArrayList<>();
    for (KnownVolumeProto volume : node.getVolumesList()) {
      volumes.add(KnownVolume.of(volume));
    }
    return volumes;
  }

  private static NodeDecision decision(NodeStateProto node) {
    if (node.getGone()) {
      return NodeDecision.GONE;
    }
    return node.getLeaving() ? NodeDecision.LEAVES : NodeDecision.STAYS;
  }

  /** Nodes that are waited for, or whose places others have to take. */
  public List<Node> missedNodes() {
    return nodes.stream().filter(Node::isMissed).toList();
  }

  /** Whether no copy is missing or about to be made, and no node is missed. */
  public boolean isWhole() {
    return toDo() == 0 && missedNodes().isEmpty() && heldUpBy.isEmpty();
  }

  /** Copies and places that are still to be made; counts down to 0. */
  public long toDo() {
    return missing + joiningPlaces;
  }
}

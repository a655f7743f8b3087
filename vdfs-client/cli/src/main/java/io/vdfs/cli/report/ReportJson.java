package io.vdfs.cli.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.BadVolumes;
import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.NodeDeletions;
import io.vdfs.client.admin.WaitingRecoveries;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import io.vdfs.common.wire.proto.VolumeSpaceProto;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * The report as one object: the content of the printed report, and all counters of the nodes.
 * Confined to the command's thread.
 */
final class ReportJson {
  private final VdfsClient client;
  private final ObjectNode all = new ObjectMapper().createObjectNode();
  private boolean sound = true;

  ReportJson(VdfsClient client) {
    this.client = client;
  }

  /**
   * Asks all nodes for what they know. For a value that no node gives, a field says why.
   *
   * @return exit code, which the object has, too: that of the printed report
   */
  int fill() {
    int code = ExitCodes.FAILED;
    try {
      code = fill(client.cluster());
    } catch (IOException e) {
      all.put("error", e.getMessage());
    }
    all.put("exitCode", code);
    return code;
  }

  private int fill(ClusterDescription cluster) throws IOException {
    MetadataMembers members = MetadataMembers.ask(client, cluster);
    all.put("cluster", cluster.name())
        .put("clusterId", cluster.properties().clusterId().toString())
        .put("ringEpoch", cluster.ring().epoch())
        .put("arcs", cluster.ring().arcCount())
        .put("replication", cluster.ring().replication())
        .put("leader", cluster.leader().map(id -> NodeTable.address(cluster, id)).orElse(""))
        .put("metadata", MetadataCommand.verdict(cluster, members));
    ObjectNode silent = all.putObject("silentMembers");
    members.silent().forEach((id, why) -> silent.put(NodeTable.address(cluster, id), why));
    ArrayNode nodes = all.putArray("nodes");
    NodeTable.inOrder(cluster).forEach(node -> add(cluster, node, nodes.addObject()));
    addCopies(cluster);
    addDeletions(cluster);
    addRecoveries();
    addSurplus();
    return members.exitCode() == ExitCodes.SOUND && !sound
        ? ExitCodes.DEGRADED
        : members.exitCode();
  }

  String text() {
    return all.toPrettyString();
  }

  private void add(ClusterDescription cluster, RingNode node, ObjectNode told) {
    boolean live = cluster.live().contains(node.id());
    told.put("id", node.id().toString())
        .put("address", NodeTable.address(node))
        .put("live", live)
        .put("metadataMember", cluster.metadataMembers().contains(node.id()));
    if (!live) {
      sound = false;
      return;
    }
    try {
      NodeSpaceProto space = client.nodes().space(node);
      sound &= space.getProblemsCount() == 0;
      space.getProblemsList().forEach(told.putArray("problems")::add);
      ArrayNode volumes = told.putArray("volumes");
      space.getVolumesList().forEach(volume -> add(volume, volumes.addObject()));
    } catch (IOException e) {
      sound = false;
      told.put("error", e.getMessage());
    }
    addCounters(node, told);
  }

  private void addCounters(RingNode node, ObjectNode told) {
    try {
      List<Metric> metrics = client.counters(node);
      ObjectNode counters = told.putObject("counters");
      for (Metric metric : metrics) {
        counters.withObject("/" + metric.group()).put(metric.name(), metric.value());
      }
    } catch (IOException e) {
      told.put("countersError", e.getMessage());
    }
  }

  private static void add(VolumeSpaceProto volume, ObjectNode told) {
    told.put("directory", volume.getDirectory())
        .put("state", volume.getState().name().toLowerCase(Locale.ROOT))
        .put("capacity", volume.getCapacity())
        .put("used", volume.getUsed())
        .put("free", volume.getFree());
  }

  private void addCopies(ClusterDescription cluster) {
    ObjectNode told = all.putObject("copies");
    try {
      CopiesReport copies = client.copies();
      sound &= CopiesTable.isSound(copies, cluster);
      told.put("missing", copies.missing())
          .put("missingBytes", copies.missingBytes())
          .put("groupsWithOneCopy", copies.lastCopies())
          .put("joiningPlaces", copies.joiningPlaces())
          .put("heldUpBy", copies.heldUpBy())
          .put("lossOpen", copies.lossOpen());
      ArrayNode missed = told.putArray("missingNodes");
      copies.missedNodes().forEach(node -> missed.add(CopiesTable.address(cluster, node)));
      addBadVolumes(BadVolumes.in(copies, cluster), cluster);
    } catch (IOException e) {
      sound = false;
      told.put("error", e.getMessage());
    }
  }

  private void addBadVolumes(List<BadVolumes.OfNode> bad, ClusterDescription cluster) {
    sound &= bad.isEmpty();
    ArrayNode told = all.putArray("badVolumes");
    for (BadVolumes.OfNode found : bad) {
      told.addObject()
          .put("node", found.node().id().toString())
          .put("address", CopiesTable.address(cluster, found.node()))
          .put("volume", found.volume().id().toString())
          .put("directory", found.volume().directory())
          .put("state", BadVolumes.state(found.volume()));
    }
  }

  private void addDeletions(ClusterDescription cluster) {
    ArrayNode told = all.putArray("missedDeletions");
    try {
      List<NodeDeletions> missed =
          client.names().deletionProgress().stream().filter(node -> node.missed() > 0).toList();
      sound &= missed.isEmpty();
      for (NodeDeletions node : missed) {
        told.addObject()
            .put("node", NodeTable.address(cluster, node.node()))
            .put("files", node.missed());
      }
    } catch (IOException e) {
      sound = false;
      told.addObject().put("error", e.getMessage());
    }
  }

  private void addRecoveries() {
    ObjectNode told = all.putObject("recoveries");
    try {
      WaitingRecoveries waiting = client.names().waitingRecoveries();
      int count = waiting.files().size() + waiting.more();
      sound &= count == 0;
      told.put("waiting", count);
      ArrayNode files = told.putArray("files");
      for (WaitingRecoveries.Waiting file : waiting.files()) {
        files
            .addObject()
            .put("path", file.path())
            .put("seconds", file.waiting().toSeconds())
            .put("reason", file.reason());
      }
    } catch (IOException e) {
      sound = false;
      told.put("error", e.getMessage());
    }
  }

  private void addSurplus() {
    try {
      all.put("surplusBytes", client.names().surplusBytes());
    } catch (IOException e) {
      sound = false;
      all.put("surplusError", e.getMessage());
    }
  }
}

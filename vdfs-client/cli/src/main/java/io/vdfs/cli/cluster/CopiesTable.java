package io.vdfs.cli.cluster;

import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.client.meta.cluster.ClusterDescription;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;

/** How the commands show the state of the cluster's copies. */
public final class CopiesTable {
  private CopiesTable() {}

  /** What is missing, which nodes the cluster waits for, and why nothing is done about it. */
  public static void print(CopiesReport copies, ClusterDescription cluster, PrintWriter out) {
    out.printf("copies       %s%n", summary(copies));
    for (CopiesReport.Node node : copies.missedNodes()) {
      out.printf("  %s %s%n", address(cluster, node), absence(node));
    }
    if (!copies.heldUpBy().isEmpty()) {
      out.printf("  held up: %s%n", copies.heldUpBy());
    }
    if (copies.lossOpen()) {
      out.println(
          "  metadata were lost once: what they do not know is kept until 'vdfs fsck --accept'");
    }
  }

  /** One line. */
  public static String summary(CopiesReport copies) {
    if (copies.isWhole()) {
      return "none is missing";
    }
    String missing =
        copies.missing() == 0
            ? "none is recorded as missing"
            : "%d missing (%.1f GB), of %d groups one is left"
                .formatted(copies.missing(), copies.missingBytes() / 1e9, copies.lastCopies());
    return copies.joiningPlaces() == 0
        ? missing
        : missing + "; blocks are copied for %d places of arcs".formatted(copies.joiningPlaces());
  }

  /** For how long a node has been missing, and when others take its places, if that is decided. */
  public static String absence(CopiesReport.Node node) {
    if (node.decision() == NodeDecision.GONE) {
      return "declared gone, others take its places";
    }
    if (node.missing().isZero()) {
      return "not seen alive yet by a new leader";
    }
    String absence = "missing for %d s".formatted(node.missing().toSeconds());
    return node.replacedIn().isZero()
        ? absence
        : absence + ", others take its places in %d s".formatted(node.replacedIn().toSeconds());
  }

  /** Whether the cluster lacks a copy or a node, or an arc a node that serves it. */
  public static boolean isSound(CopiesReport copies, ClusterDescription cluster) {
    return copies.missing() == 0
        && copies.missedNodes().isEmpty()
        && copies.heldUpBy().isEmpty()
        && isFull(cluster);
  }

  /** Whether as many nodes as there should be serve each arc; joining ones do not yet. */
  public static boolean isFull(ClusterDescription cluster) {
    return cluster.ring().arcs().stream()
        .allMatch(arc -> arc.serving().size() >= cluster.ring().replication());
  }

  /** The nodes in the order in which people would count them; of one address, live nodes first. */
  public static List<CopiesReport.Node> inOrder(CopiesReport copies, ClusterDescription cluster) {
    return copies.nodes().stream()
        .sorted(
            Comparator.comparing(
                    (CopiesReport.Node node) -> NodeTable.sortable(address(cluster, node)))
                .thenComparing(CopiesReport.Node::live, Comparator.reverseOrder())
                .thenComparing(CopiesReport.Node::id))
        .toList();
  }

  /** Host and port, as the ring map has them or the node publishes them. */
  public static String address(ClusterDescription cluster, CopiesReport.Node node) {
    return cluster.ring().node(node.id()).map(NodeTable::address).orElse(NodeNames.address(node));
  }
}

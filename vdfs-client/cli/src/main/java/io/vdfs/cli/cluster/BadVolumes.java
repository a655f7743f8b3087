package io.vdfs.cli.cluster;

import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.KnownVolume;
import io.vdfs.client.meta.cluster.ClusterDescription;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How the commands show volumes that are recorded as suspect, failed or given up. */
public final class BadVolumes {
  private BadVolumes() {}

  /** A volume and its node. */
  public record OfNode(CopiesReport.Node node, KnownVolume volume) {}

  /** All volumes that are bad, node by node; those that were given up are none. */
  public static List<OfNode> in(CopiesReport copies, ClusterDescription cluster) {
    List<OfNode> bad = new ArrayList<>();
    for (CopiesReport.Node node : CopiesTable.inOrder(copies, cluster)) {
      node.volumes().stream()
          .filter(KnownVolume::isBad)
          .forEach(volume -> bad.add(new OfNode(node, volume)));
    }
    return bad;
  }

  /**
   * Prints a line for each volume that does not serve as it should, or was given up.
   *
   * @return whether none is bad
   */
  public static boolean print(CopiesReport copies, ClusterDescription cluster, PrintWriter out) {
    for (CopiesReport.Node node : CopiesTable.inOrder(copies, cluster)) {
      for (KnownVolume volume : node.volumes()) {
        String told = told(node, volume);
        if (!told.isEmpty()) {
          out.printf(
              "volume       %s at %s of %s: %s%n",
              volume.id(), volume.directory(), CopiesTable.address(cluster, node), told);
        }
      }
    }
    return in(copies, cluster).isEmpty();
  }

  /** Empty for a volume that serves. */
  private static String told(CopiesReport.Node node, KnownVolume volume) {
    return switch (volume.state()) {
      case SERVING -> "";
      case SUSPECT -> "suspect, takes no new blocks; " + ifLost(node, volume);
      case FAILED -> "failed, is not served; mount its disk; or, " + ifLost(node, volume);
      case GIVEN_UP -> "given up; the node's next start takes an empty disk in its place";
      case UNKNOWN -> "in a state that this release does not know";
    };
  }

  private static String ifLost(CopiesReport.Node node, KnownVolume volume) {
    return "if it is lost, say 'vdfs node volume add %s %s'".formatted(node.id(), volume.id());
  }

  /** A word for programs. */
  public static String state(KnownVolume volume) {
    return volume.state().name().toLowerCase(Locale.ROOT);
  }
}

package io.vdfs.cli.report;

import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import io.vdfs.common.wire.proto.VolumeSpaceProto;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

/** Room and state of the volumes of all live nodes, and what is wrong with them. */
final class VolumeTable {
  private static final String ROW = "%-28s %-8s %10s %10s %10s  %s%n";

  private VolumeTable() {}

  /**
   * @return whether all volumes of these nodes serve and take new blocks, as far as is known
   */
  static boolean print(VdfsClient client, ClusterDescription cluster, PrintWriter out) {
    boolean sound = true;
    out.println();
    out.printf(ROW, "volumes", "state", "capacity", "used", "free", "directory");
    for (RingNode node : NodeTable.inOrder(cluster)) {
      if (cluster.live().contains(node.id())) {
        sound &= print(client, node, out);
      }
    }
    return sound;
  }

  private static boolean print(VdfsClient client, RingNode node, PrintWriter out) {
    try {
      NodeSpaceProto space = client.nodes().space(node);
      space.getVolumesList().forEach(volume -> print(node, volume, out));
      space
          .getProblemsList()
          .forEach(problem -> out.printf("volumes      %s: %s%n", node.host(), problem));
      return space.getProblemsCount() == 0;
    } catch (IOException e) {
      out.printf("volumes      %s: not known, %s%n", node.host(), e.getMessage());
      return false;
    }
  }

  private static void print(RingNode node, VolumeSpaceProto volume, PrintWriter out) {
    out.printf(
        ROW,
        NodeTable.address(node),
        volume.getState().name().toLowerCase(Locale.ROOT),
        gigabytes(volume.getCapacity()),
        gigabytes(volume.getUsed()),
        gigabytes(volume.getFree()),
        volume.getDirectory());
  }

  private static String gigabytes(long bytes) {
    return "%.1f GB".formatted(bytes / 1e9);
  }
}

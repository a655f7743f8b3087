package io.vdfs.client;

import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Computes from the ring map where a file lies; asks nobody. */
final class BlockPlaces {
  private BlockPlaces() {}

  /** One place for each group that [start, start + length) touches, cut to the file's length. */
  static List<BlockPlace> byGroup(ClusterSnapshot cluster, FileInfo file, long start, long length) {
    ClusterGeometry geometry = cluster.properties().geometry();
    return tile(cluster, file, start, length, geometry.groupSize());
  }

  /** As {@link #byGroup} with one place for each block. */
  static List<BlockPlace> byBlock(ClusterSnapshot cluster, FileInfo file, long start, long length) {
    return tile(cluster, file, start, length, cluster.properties().geometry().blockSize());
  }

  private static List<BlockPlace> tile(
      ClusterSnapshot cluster, FileInfo file, long start, long length, long unit) {
    long end = length > file.length() - start ? file.length() : start + length;
    List<BlockPlace> places = new ArrayList<>();
    for (long offset = start - start % unit; offset < end; offset += unit) {
      int group = cluster.properties().geometry().groupAt(offset);
      places.add(
          new BlockPlace(
              offset,
              Math.min(unit, file.length() - offset),
              keepers(cluster.ring(), file, group)));
    }
    return places;
  }

  private static List<RingNode> keepers(RingMap ring, FileInfo file, int group) {
    List<NodeId> serving = ring.replicas(file.inodeId(), group).serving();
    Set<NodeId> leftOut =
        serving.stream().filter(node -> isExcluded(file, node, group)).collect(Collectors.toSet());
    return GroupReplicas.of(serving, file.replication(), leftOut).keepers().stream()
        .map(ring::node)
        .flatMap(Optional::stream)
        .toList();
  }

  private static boolean isExcluded(FileInfo file, NodeId node, int group) {
    for (ExclusionProto exclusion : file.exclusions()) {
      if (exclusion.getNode().equals(WireIds.encode(node))
          && Integer.compareUnsigned(exclusion.getFirstGroup(), group) <= 0
          && Integer.compareUnsigned(group, exclusion.getEndGroup()) < 0) {
        return true;
      }
    }
    return false;
  }
}

package io.vdfs.client.place;

import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many copies of a file's groups are on record: no disk is asked. Immutable.
 *
 * @param ranges all groups in order; neighbours that have the same number of copies are in one
 */
public record FileCopies(List<Range> ranges) {
  public FileCopies {
    ranges = List.copyOf(ranges);
  }

  /**
   * Groups from {@code first} to below {@code end}, each of which has the same number of copies.
   *
   * @param wanted copies that each should have
   * @param recorded nodes of the group's list that count and are not left out of it
   * @param live of these nodes, those that were alive when the cluster was last heard of
   */
  public record Range(int first, int end, int wanted, int recorded, int live) {
    public int groups() {
      return end - first;
    }

    /** Copies that are missing of each group. */
    public int lacking() {
      return Math.max(0, wanted - recorded);
    }

    private boolean isLike(Range other) {
      return wanted == other.wanted && recorded == other.recorded && live == other.live;
    }
  }

  /**
   * Counts them by the ring map and the file's record; asks no node.
   *
   * @throws VdfsException INVALID_ARGUMENT if the file's record names no node where it should
   */
  public static FileCopies of(ClusterDescription cluster, FileInfo file) throws VdfsException {
    RingMap ring = cluster.ring();
    Set<NodeId> live = Set.copyOf(cluster.live());
    List<Exclusion> exclusions = file.exclusions();
    int wanted = GroupReplicas.effectiveFactor(file.replication(), ring.replication());
    List<Range> ranges = new ArrayList<>();
    int groups = cluster.properties().geometry().groupCount(file.length());
    for (int group = 0; group < groups; group++) {
      List<NodeId> keepers = keepers(ring, file, exclusions, group);
      int alive = (int) keepers.stream().filter(live::contains).count();
      Range next = new Range(group, group + 1, wanted, keepers.size(), alive);
      int last = ranges.size() - 1;
      if (last >= 0 && ranges.get(last).isLike(next)) {
        ranges.set(last, new Range(ranges.get(last).first, next.end, wanted, next.recorded, alive));
      } else {
        ranges.add(next);
      }
    }
    return new FileCopies(ranges);
  }

  /** The nodes that keep a group, in the order of its arc's list. */
  static List<NodeId> keepers(RingMap ring, FileInfo file, List<Exclusion> exclusions, int group) {
    Set<NodeId> leftOut =
        exclusions.stream()
            .filter(range -> range.covers(range.node(), group))
            .map(Exclusion::node)
            .collect(Collectors.toSet());
    return GroupReplicas.of(
            ring.replicas(file.inodeId(), group).serving(), file.replication(), leftOut)
        .keepers();
  }

  public int groups() {
    return ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).end();
  }
}

package io.vdfs.datanode.repair.garbage;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.repair.Duty;
import io.vdfs.datanode.repair.FileGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * What a node holds of a closed file without need. Immutable.
 *
 * @param groups that other nodes keep
 * @param whole whether no group of the file is needed here
 */
record SurplusGroups(FileGroups file, List<Integer> groups, boolean whole) {
  SurplusGroups {
    groups = List.copyOf(groups);
  }

  /**
   * What of a file is not needed here: the node has no duty for it, and as many nodes keep it as
   * should. Empty if the file is open.
   *
   * @param isHeld whether the node has bytes of a group
   */
  static Optional<SurplusGroups> of(
      FileGroups file, RingMap ring, NodeId self, IntPredicate isHeld) {
    if (file.isOpen()) {
      return Optional.empty();
    }
    List<Integer> all = new ArrayList<>();
    for (int group = 0; group < file.count(); group++) {
      if (isSurplus(file, group, ring, self)) {
        all.add(group);
      }
    }
    if (all.size() == file.count()) {
      return Optional.of(new SurplusGroups(file, all, true));
    }
    all.removeIf(group -> !isHeld.test(group));
    return all.isEmpty() ? Optional.empty() : Optional.of(new SurplusGroups(file, all, false));
  }

  private static boolean isSurplus(FileGroups file, int group, RingMap ring, NodeId self) {
    ArcReplicas arc = ring.replicas(file.key(), group);
    Duty duty = Duty.of(arc, ring.replication(), self, file.replication(), file.leftOut(group));
    return duty == Duty.NONE
        && keepers(file, group, ring).size()
            >= GroupReplicas.effectiveFactor(file.replication(), arc.serving().size());
  }

  /** The nodes whose copies of a group count. */
  static List<NodeId> keepers(FileGroups file, int group, RingMap ring) {
    return GroupReplicas.of(
            ring.replicas(file.key(), group).serving(), file.replication(), file.leftOut(group))
        .keepers();
  }

  /** Whether the other one, which may be null, is of the same file with the same copies. */
  boolean isSameAs(SurplusGroups other) {
    return other != null
        && file.isSameState(other.file)
        && groups.equals(other.groups)
        && whole == other.whole;
  }
}

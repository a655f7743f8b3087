package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** The groups of which certain nodes alone have copies on record. Confined to one operation. */
final class LastCopies {
  private long groups;
  private String example = "";

  LastCopies(Set<NodeId> nodes, RingMap ring, MetaContext context) {
    Iterator<InodeRecord> inodes = context.namespace().after(0);
    while (inodes.hasNext()) {
      InodeRecord inode = inodes.next();
      if (!Inodes.isDirectory(inode) && context.namespace().isAttached(inode)) {
        long held = groupsHeld(inode, nodes, ring, context);
        if (held > 0 && groups == 0) {
          example = context.namespace().path(inode);
        }
        groups += held;
      }
    }
  }

  private static long groupsHeld(
      InodeRecord file, Set<NodeId> nodes, RingMap ring, MetaContext context) {
    LeftOutNodes leftOut = new LeftOutNodes(file.getFile());
    int count = context.settings().geometry().groupCount(file.getFile().getLength());
    long held = 0;
    for (int group = 0; group < count; group++) {
      List<NodeId> keepers =
          GroupReplicas.of(
                  ring.replicas(file.getId(), group).serving(),
                  file.getFile().getReplication(),
                  leftOut.of(group))
              .keepers();
      held += !keepers.isEmpty() && nodes.containsAll(keepers) ? 1 : 0;
    }
    return held;
  }

  long groups() {
    return groups;
  }

  /** Path of a file with such a group; empty if there is none. */
  String example() {
    return example;
  }
}

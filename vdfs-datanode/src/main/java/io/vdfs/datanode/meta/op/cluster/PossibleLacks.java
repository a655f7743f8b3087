package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.op.copies.Repairs;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The groups that a node which begins to serve arcs may lack there: those of open files and of
 * files that changed since it looked, also where it is only a spare, as it may become a keeper.
 * Confined to one operation.
 */
final class PossibleLacks {
  private final ByteString node;
  private final Set<Integer> arcs;
  private final RingMap ring;
  private final MetaContext context;
  private final List<InodeRecord> files = new ArrayList<>();
  private final Set<Integer> tooMany = new TreeSet<>();

  /**
   * @param arcs that the node begins to serve
   * @param ring the map by which it does
   * @param sequence changes up to here the node has seen
   */
  PossibleLacks(
      ByteString node, Set<Integer> arcs, RingMap ring, long sequence, MetaContext context)
      throws VdfsException {
    this.node = node;
    this.arcs = arcs;
    this.ring = ring;
    this.context = context;
    Iterator<InodeRecord> inodes = context.namespace().after(0);
    while (inodes.hasNext()) {
      InodeRecord inode = inodes.next();
      if (!Inodes.isDirectory(inode)
          && (Inodes.isOpen(inode) || inode.getFile().getChangeSequence() > sequence)
          && context.namespace().isAttached(inode)) {
        look(inode);
      }
    }
  }

  private void look(InodeRecord file) throws VdfsException {
    List<ExclusionProto> ranges = new ArrayList<>();
    Set<Integer> touched = new TreeSet<>();
    int groups = context.settings().geometry().groupCount(file.getFile().getLength());
    for (int group = 0; group < groups; group++) {
      int arc = ring.arcOf(file.getId(), group);
      if (!arcs.contains(arc)) {
        continue;
      }
      touched.add(arc);
      if (!Repairs.areTooMany(ranges, context)) {
        add(Repairs.doubt(node, group), ranges);
      } else if (touched.size() == arcs.size()) {
        // beyond the limit it only matters which arcs the file has
        break;
      }
    }
    if (ranges.isEmpty()) {
      return;
    }
    Repairs.with(file, ranges, context).ifPresentOrElse(files::add, () -> tooMany.addAll(touched));
  }

  private static void add(ExclusionProto group, List<ExclusionProto> ranges) {
    int last = ranges.size() - 1;
    if (last >= 0 && ranges.get(last).getEndGroup() == group.getFirstGroup()) {
      ranges.set(last, ranges.get(last).toBuilder().setEndGroup(group.getEndGroup()).build());
    } else {
      ranges.add(group);
    }
  }

  /** The files with their new exclusions, in the order of their ids. */
  List<InodeRecord> files() {
    return files;
  }

  /** Arcs with groups of files that can't have so many exclusions. */
  Set<Integer> tooMany() {
    return tooMany;
  }
}

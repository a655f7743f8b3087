package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.ListHoldingsQuery;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.query.page.Page;
import io.vdfs.datanode.meta.state.GroupLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.BitSet;
import java.util.Iterator;

/** The files of which a node has to hold something, by the recorded ring map. */
final class ListHoldings implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("list of holdings");
    ListHoldingsQuery query = request.getListHoldings();
    RingMap ring = Page.recordedRing(context);
    BitSet arcs = arcs(ring, WireIds.nodeId(query.getNode()));
    ListHoldingsResult.Builder page =
        ListHoldingsResult.newBuilder()
            .setReached(query.getAfter())
            .setSequence(context.namespace().lastChangeSequence())
            .setRingEpoch(ring.epoch());
    if (query.getAfter() == 0) {
      page.setRing(RingCodec.toProto(ring));
    }
    int looks = Page.entries(query.getLimit(), context.settings().limits());
    int bytes = 0;
    Iterator<InodeRecord> inodes = context.namespace().after(query.getAfter());
    while (inodes.hasNext()) {
      if (looks == 0 || bytes > context.settings().limits().pageBytes()) {
        page.setMore(true);
        break;
      }
      InodeRecord inode = inodes.next();
      if (!Inodes.isDirectory(inode)) {
        looks--;
        if (isHeld(inode, arcs, ring, context)) {
          HeldFileProto held = HeldFile.of(inode, context);
          page.addFiles(held);
          bytes += held.getSerializedSize();
        }
      }
      page.setReached(inode.getId());
    }
    return MetaResponse.newBuilder().setHoldings(page).build();
  }

  private static BitSet arcs(RingMap ring, NodeId node) {
    BitSet arcs = new BitSet(ring.arcCount());
    for (int arc = 0; arc < ring.arcCount(); arc++) {
      arcs.set(arc, ring.arcs().get(arc).contains(node));
    }
    return arcs;
  }

  private static boolean isHeld(InodeRecord file, BitSet arcs, RingMap ring, MetaContext context) {
    int groups = GroupLengths.of(file, context.settings().geometry()).groups();
    for (int group = 0; group < ring.groupsOnAllArcs(groups); group++) {
      if (arcs.get(ring.arcOf(file.getId(), group))) {
        return context.namespace().isAttached(file);
      }
    }
    return false;
  }
}

package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LackingProto;
import io.vdfs.common.wire.proto.LeftOutNodeProto;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.query.page.Page;
import io.vdfs.datanode.meta.state.GroupLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** The copies that are recorded as missing and have to be made again. */
final class ListLacking implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("list of lacking copies");
    ListLackingQuery query = request.getListLacking();
    Optional<NodeId> node =
        query.getNode().isEmpty() ? Optional.empty() : Optional.of(WireIds.nodeId(query.getNode()));
    RingMap ring = Page.recordedRing(context);
    ListLackingResult.Builder page =
        ListLackingResult.newBuilder().setReached(query.getAfter()).setRingEpoch(ring.epoch());
    int entries = Page.entries(query.getLimit(), context.settings().limits());
    for (long id : context.namespace().lacking().tailSet(query.getAfter(), false)) {
      if (page.getGroupsCount() >= entries) {
        page.setMore(true);
        break;
      }
      InodeRecord file = context.namespace().inode(id);
      if (context.namespace().isAttached(file)) {
        add(file, node, ring, context, page);
      }
      page.setReached(id);
    }
    return MetaResponse.newBuilder().setLacking(page).build();
  }

  private static void add(
      InodeRecord file,
      Optional<NodeId> node,
      RingMap ring,
      MetaContext context,
      ListLackingResult.Builder page) {
    GroupLengths lengths = GroupLengths.of(file, context.settings().geometry());
    List<Integer> checksums = GroupLengths.checksums(file, context.settings().geometry());
    LeftOutNodes leftOut = new LeftOutNodes(file.getFile());
    int replication = file.getFile().getReplication();
    for (int group : leftOut.groups(lengths.groups())) {
      ArcReplicas arc = ring.replicas(file.getId(), group);
      List<NodeId> serving = arc.serving();
      // a node that is to leave steps in for now, and stays until the others have the group
      List<NodeId> lacking = leftOut.lacking(group, arc.counted(ring.replication()), replication);
      if (lacking.isEmpty() || (node.isPresent() && !lacking.contains(node.get()))) {
        continue;
      }
      SortedMap<NodeId, Integer> out = leftOut.epochs(group);
      LackingProto.Builder entry =
          LackingProto.newBuilder()
              .setFile(Inodes.key(file))
              .setGroup(group)
              .setLength(lengths.of(group))
              .setWriteEpoch(file.getFile().getWriteEpoch())
              .setCopiesLeft(GroupReplicas.of(serving, replication, out.keySet()).keepers().size())
              .setReplication(replication)
              .setChecksum(group < checksums.size() ? checksums.get(group) : 0);
      out.forEach(
          (without, epoch) ->
              entry.addLeftOut(
                  LeftOutNodeProto.newBuilder().setNode(WireIds.encode(without)).setEpoch(epoch)));
      for (NodeId without : lacking) {
        if (node.isEmpty() || node.get().equals(without)) {
          page.addGroups(entry.setNode(WireIds.encode(without)));
        }
      }
    }
  }
}

package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.nodes.RecordedVolumes;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Records that volumes of a node are lost, so that it may take empty disks in their places. What
 * lay there is missing already, as its node found, so nothing is lost by this.
 */
final class GiveUpVolumesOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("decision about volumes");
    GiveUpVolumesOp op = request.getGiveUpVolumes();
    NodeId node = WireIds.nodeId(Checks.id(op.getNode(), "node"));
    RecordedVolumes before = RecordedVolumes.of(context.cluster());
    RecordedVolumes after = before.withGivenUp(node, known(op, node, before));
    if (!after.equals(before)) {
      changes.recordCluster(after.in(context.cluster()));
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static Set<UUID> known(GiveUpVolumesOp op, NodeId node, RecordedVolumes recorded)
      throws VdfsException {
    int most = ReportVolumesOperation.MOST_VOLUMES;
    if (op.getVolumesCount() < 1 || op.getVolumesCount() > most) {
      throw Refusals.invalid(
          "name 1 to " + most + " volumes at once: volumes=" + op.getVolumesCount());
    }
    if (!recorded.nodes().contains(node)) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "no such node has reported its volumes: node=%s, nodes=%s; see 'vdfs node status'"
              .formatted(node, recorded.nodes()));
    }
    Set<UUID> volumes = new TreeSet<>();
    for (ByteString bytes : op.getVolumesList()) {
      UUID volume = WireIds.uuid("volume", Checks.id(bytes, "volume"));
      if (!recorded.of(node).containsKey(volume)) {
        throw new VdfsException(
            ErrorCode.NOT_FOUND,
            "the node has no such volume: node=%s, volume=%s%s, volumes=%s; see 'vdfs node status'"
                .formatted(
                    node,
                    volume,
                    recorded.nodeOf(volume).map(other -> ", which is of node=" + other).orElse(""),
                    recorded.told(node)));
      }
      volumes.add(volume);
    }
    return volumes;
  }
}

package io.vdfs.datanode.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.nodes.RecordedVolumes;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Records which volumes a node has, and which it had and does not serve. A report like the one
 * before changes nothing.
 */
final class ReportVolumesOperation implements Operation {
  static final int MOST_VOLUMES = 512;
  private static final int LONGEST_DIRECTORY = 4096;

  /** With more than these, nodes that the ring map does not have are forgotten. */
  private static final int MOST_NODES = 1000;

  private static final Set<VolumeStateProto> REPORTED =
      Set.of(
          VolumeStateProto.VOLUME_SERVING,
          VolumeStateProto.VOLUME_SUSPECT,
          VolumeStateProto.VOLUME_FAILED);

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("report of volumes");
    NodeVolumesProto report = request.getReportVolumes().getVolumes();
    NodeId node = WireIds.nodeId(Checks.id(report.getNode(), "node"));
    check(report);
    RecordedVolumes before = RecordedVolumes.of(context.cluster());
    RecordedVolumes after =
        bounded(before.withReport(node, report.getVolumesList()), node, context);
    if (!after.equals(before)) {
      changes.recordCluster(after.in(context.cluster()));
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static void check(NodeVolumesProto report) throws VdfsException {
    if (report.getVolumesCount() < 1 || report.getVolumesCount() > MOST_VOLUMES) {
      throw Refusals.invalid(
          "a node has 1 to " + MOST_VOLUMES + " volumes: volumes=" + report.getVolumesCount());
    }
    Set<ByteString> ids = new HashSet<>();
    for (KnownVolumeProto volume : report.getVolumesList()) {
      if (!ids.add(Checks.id(volume.getId(), "volume"))) {
        throw Refusals.invalid(
            "a volume is named twice: volume=" + WireIds.uuid("volume", volume.getId()));
      }
      if (!REPORTED.contains(volume.getState())) {
        throw Refusals.invalid("no node reports this state: state=" + volume.getStateValue());
      }
      if (volume.getDirectory().length() > LONGEST_DIRECTORY || volume.getCapacity() < 0) {
        throw Refusals.invalid(
            "no such volume: capacity=%d, length of directory=%d, longest=%d"
                .formatted(
                    volume.getCapacity(), volume.getDirectory().length(), LONGEST_DIRECTORY));
      }
    }
  }

  private static RecordedVolumes bounded(
      RecordedVolumes volumes, NodeId reporting, MetaContext context) {
    if (volumes.nodes().size() <= MOST_NODES) {
      return volumes;
    }
    Set<NodeId> kept = new TreeSet<>(Set.of(reporting));
    context.ring().ifPresent(ring -> kept.addAll(ring.nodes().keySet()));
    return volumes.only(kept);
  }
}

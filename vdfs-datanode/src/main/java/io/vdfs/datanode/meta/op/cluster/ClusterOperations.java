package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.op.change.Operation;
import java.util.Map;

/** The operations on the record of the cluster as a whole. */
public final class ClusterOperations {
  private ClusterOperations() {}

  /**
   * The operations by the request that asks for them.
   *
   * @param levels that can be carried out
   */
  public static Map<OpCase, Operation> all(FeatureLevels levels) {
    return Map.of(
        OpCase.RECORD_CLUSTER, new RecordClusterOperation(),
        OpCase.CHANGE_RING, new ChangeRingOperation(),
        OpCase.PROMOTE, new PromoteOperation(),
        OpCase.MARK_NODES, new MarkNodesOperation(),
        OpCase.WEIGH_NODES, new WeighNodesOperation(),
        OpCase.GIVE_UP_VOLUMES, new GiveUpVolumesOperation(),
        OpCase.REPORT_VOLUMES, new ReportVolumesOperation(),
        OpCase.SKIP_SEQUENCES, new SkipSequencesOperation(),
        OpCase.RAISE_LEVEL, new RaiseLevelOperation(levels));
  }
}

package io.vdfs.datanode.meta.op;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the operation for a request. Immutable. */
public final class Operations {
  private final Map<OpCase, Operation> byCase = new EnumMap<>(OpCase.class);

  /**
   * @param levels that can be carried out
   */
  public Operations(FeatureLevels levels) {
    byCase.put(OpCase.MKDIRS, new MkdirsOperation());
    byCase.put(OpCase.CREATE, new CreateOperation());
    byCase.put(OpCase.APPEND, new AppendOperation());
    byCase.put(OpCase.CHANGE_PIPELINE, new ChangePipelineOperation());
    byCase.put(OpCase.RECORD_PROGRESS, new RecordProgressOperation());
    byCase.put(OpCase.COMPLETE, new CompleteOperation());
    byCase.put(OpCase.RENAME, new RenameOperation());
    byCase.put(OpCase.DELETE, new DeleteOperation());
    byCase.put(OpCase.SET_ATTRIBUTES, new SetAttributesOperation());
    byCase.put(OpCase.SET_XATTR, new SetXAttrOperation());
    byCase.put(OpCase.CHANGE_ACL, new ChangeAclOperation());
    byCase.put(OpCase.SET_QUOTA, new SetQuotaOperation());
    byCase.put(OpCase.REPLACE_FILE, new ReplaceFileOperation());
    byCase.put(OpCase.BULK_DELETE, new BulkDeleteOperation());
    byCase.put(OpCase.RECORD_CLUSTER, new RecordClusterOperation());
    byCase.put(OpCase.CHANGE_RING, new ChangeRingOperation());
    byCase.put(OpCase.PROMOTE, new PromoteOperation());
    byCase.put(OpCase.BEGIN_RECOVERY, new BeginRecoveryOperation());
    byCase.put(OpCase.FINISH_RECOVERY, new FinishRecoveryOperation());
    byCase.put(OpCase.RECLAIM, new ReclaimOperation());
    byCase.put(OpCase.ACK_DELETIONS, new AckDeletionsOperation());
    byCase.put(OpCase.REPORT_LACKING, new ReportLackingOperation());
    byCase.put(OpCase.LIFT_EXCLUSIONS, new LiftExclusionsOperation());
    byCase.put(OpCase.ACCEPT_LOSS, new AcceptLossOperation());
    byCase.put(OpCase.SKIP_SEQUENCES, new SkipSequencesOperation());
    byCase.put(OpCase.MARK_NODES, new MarkNodesOperation());
    byCase.put(OpCase.WEIGH_NODES, new WeighNodesOperation());
    byCase.put(OpCase.RAISE_LEVEL, new RaiseLevelOperation(levels));
  }

  public Optional<Operation> find(OpCase request) {
    return Optional.ofNullable(byCase.get(request));
  }
}

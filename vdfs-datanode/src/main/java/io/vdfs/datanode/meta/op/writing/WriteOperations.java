package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.op.change.Operation;
import java.util.Map;

/** The operations on files that are being written. */
public final class WriteOperations {
  private WriteOperations() {}

  /** The operations by the request that asks for them. */
  public static Map<OpCase, Operation> all() {
    return Map.of(
        OpCase.CREATE, new CreateOperation(),
        OpCase.APPEND, new AppendOperation(),
        OpCase.CHANGE_PIPELINE, new ChangePipelineOperation(),
        OpCase.RECORD_PROGRESS, new RecordProgressOperation(),
        OpCase.COMPLETE, new CompleteOperation(),
        OpCase.REPLACE_FILE, new ReplaceFileOperation(),
        OpCase.BEGIN_RECOVERY, new BeginRecoveryOperation(),
        OpCase.FINISH_RECOVERY, new FinishRecoveryOperation());
  }
}

package io.vdfs.datanode.meta.op.copies;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.op.change.Operation;
import java.util.Map;

/** The operations on the record of which copies of files there are. */
public final class CopyOperations {
  private CopyOperations() {}

  /** The operations by the request that asks for them. */
  public static Map<OpCase, Operation> all() {
    return Map.of(
        OpCase.REPORT_LACKING, new ReportLackingOperation(),
        OpCase.LIFT_EXCLUSIONS, new LiftExclusionsOperation(),
        OpCase.ACCEPT_LOSS, new AcceptLossOperation());
  }
}

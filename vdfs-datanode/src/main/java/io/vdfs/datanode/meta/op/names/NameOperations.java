package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.op.change.Operation;
import java.util.Map;

/** The operations on names, and on what is left of deleted ones. */
public final class NameOperations {
  private NameOperations() {}

  /** The operations by the request that asks for them. */
  public static Map<OpCase, Operation> all() {
    return Map.of(
        OpCase.MKDIRS, new MkdirsOperation(),
        OpCase.RENAME, new RenameOperation(),
        OpCase.DELETE, new DeleteOperation(),
        OpCase.BULK_DELETE, new BulkDeleteOperation(),
        OpCase.RECLAIM, new ReclaimOperation(),
        OpCase.ACK_DELETIONS, new AckDeletionsOperation());
  }
}

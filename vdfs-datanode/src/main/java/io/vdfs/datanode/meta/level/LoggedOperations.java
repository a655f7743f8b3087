package io.vdfs.datanode.meta.level;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Internal.EnumLite;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The one table of what may stand in a log, with the feature level that each needs.
 *
 * <p>From the first release on no operation, field or value here changes its level or its meaning.
 * New behaviour hangs on a new operation, in {@link #levels}, or on a new field or enum value, in
 * {@link #ADDITIONS}; either has the level after that of the release before, which becomes {@link
 * #NEWEST}.
 *
 * <p>Until then an operation that is new gets level {@link #FIRST}, and one whose meaning is
 * changed raises {@link #FIRST} and {@link #NEWEST} by one: logs and snapshots from before are then
 * refused.
 */
final class LoggedOperations {
  /** In force in a new cluster. */
  static final int FIRST = 7;

  /** The highest that this release can carry out. */
  static final int NEWEST = 7;

  /** By full name; what is not here is as old as what it stands in. */
  static final Map<String, Integer> ADDITIONS = Map.of();

  private LoggedOperations() {}

  static Map<FieldDescriptor, Integer> levels() {
    Map<FieldDescriptor, Integer> levels = new LinkedHashMap<>();
    Descriptor metadata = MetaRequest.getDescriptor();
    put(levels, metadata, MetaRequest.OpCase.MKDIRS, 1);
    put(levels, metadata, MetaRequest.OpCase.CREATE, 1);
    put(levels, metadata, MetaRequest.OpCase.APPEND, 1);
    put(levels, metadata, MetaRequest.OpCase.CHANGE_PIPELINE, 1);
    put(levels, metadata, MetaRequest.OpCase.RECORD_PROGRESS, 1);
    put(levels, metadata, MetaRequest.OpCase.COMPLETE, 1);
    put(levels, metadata, MetaRequest.OpCase.RENAME, 1);
    put(levels, metadata, MetaRequest.OpCase.DELETE, 1);
    put(levels, metadata, MetaRequest.OpCase.SET_ATTRIBUTES, 1);
    put(levels, metadata, MetaRequest.OpCase.SET_XATTR, 1);
    put(levels, metadata, MetaRequest.OpCase.CHANGE_ACL, 1);
    put(levels, metadata, MetaRequest.OpCase.SET_QUOTA, 1);
    put(levels, metadata, MetaRequest.OpCase.REPLACE_FILE, 1);
    put(levels, metadata, MetaRequest.OpCase.BULK_DELETE, 1);
    put(levels, metadata, MetaRequest.OpCase.BEGIN_RECOVERY, 1);
    put(levels, metadata, MetaRequest.OpCase.FINISH_RECOVERY, 7);
    put(levels, metadata, MetaRequest.OpCase.RECLAIM, 1);
    put(levels, metadata, MetaRequest.OpCase.ACK_DELETIONS, 6);
    put(levels, metadata, MetaRequest.OpCase.SKIP_SEQUENCES, 1);
    put(levels, metadata, MetaRequest.OpCase.RAISE_LEVEL, 1);
    put(levels, metadata, MetaRequest.OpCase.RECORD_CLUSTER, 1);
    put(levels, metadata, MetaRequest.OpCase.CHANGE_RING, 7);
    put(levels, metadata, MetaRequest.OpCase.PROMOTE, 3);
    put(levels, metadata, MetaRequest.OpCase.REPORT_LACKING, 7);
    put(levels, metadata, MetaRequest.OpCase.LIFT_EXCLUSIONS, 3);
    put(levels, metadata, MetaRequest.OpCase.MARK_NODES, 4);
    put(levels, metadata, MetaRequest.OpCase.ACCEPT_LOSS, 5);
    put(levels, metadata, MetaRequest.OpCase.WEIGH_NODES, 7);
    put(levels, metadata, MetaRequest.OpCase.LEDGER, 1);
    Descriptor ledger = LedgerRequest.getDescriptor();
    put(levels, ledger, LedgerRequest.OpCase.CREATE_CHUNK, 1);
    put(levels, ledger, LedgerRequest.OpCase.SEAL, 1);
    put(levels, ledger, LedgerRequest.OpCase.NEXT, 1);
    put(levels, ledger, LedgerRequest.OpCase.CLOSE_TASK, 1);
    put(levels, ledger, LedgerRequest.OpCase.RENEW, 1);
    put(levels, ledger, LedgerRequest.OpCase.RELEASE, 1);
    put(levels, ledger, LedgerRequest.OpCase.EXPIRE, 1);
    return levels;
  }

  private static void put(
      Map<FieldDescriptor, Integer> levels, Descriptor type, EnumLite operation, int level) {
    levels.put(type.findFieldByNumber(operation.getNumber()), level);
  }
}

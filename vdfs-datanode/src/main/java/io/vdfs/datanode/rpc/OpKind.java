package io.vdfs.datanode.rpc;

import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;

/** What becomes of a metadata request. */
enum OpKind {
  /** Goes through the log. */
  MUTATION,
  /** Answered by the leader's state. */
  QUERY,
  /** For the leader's services. */
  SOFT,
  /** Made by a member itself only. */
  RESERVED,
  /** This release doesn't know it. */
  UNKNOWN;

  static OpKind of(MetaRequest request) {
    return switch (request.getOpCase()) {
      case MKDIRS,
          CREATE,
          APPEND,
          CHANGE_PIPELINE,
          RECORD_PROGRESS,
          COMPLETE,
          RENAME,
          DELETE,
          SET_ATTRIBUTES,
          SET_XATTR,
          CHANGE_ACL,
          SET_QUOTA,
          REPLACE_FILE,
          BULK_DELETE,
          RECORD_CLUSTER,
          BEGIN_RECOVERY,
          FINISH_RECOVERY,
          RECLAIM,
          ACK_DELETIONS,
          CHANGE_RING,
          PROMOTE,
          REPORT_LACKING,
          LIFT_EXCLUSIONS,
          MARK_NODES,
          ACCEPT_LOSS,
          WEIGH_NODES,
          LEDGER ->
          MUTATION;
      case GET_STATUS,
          LIST,
          OPEN,
          CONTENT_SUMMARY,
          CHECK_ACCESS,
          POLL_DELETIONS,
          LEDGER_QUERY,
          LIST_LEASES,
          RECLAIM_STATUS,
          CLUSTER_RECORD,
          SURPLUS,
          FILE_EXISTS,
          DELETION_PROGRESS,
          LIST_HOLDINGS,
          LIST_LACKING,
          REVIEW_FILES ->
          QUERY;
      case RENEW_LEASE, RECOVER_LEASE, WAITING_RECOVERIES, CONFIRM_HOLDINGS, REPAIR_REPORT -> SOFT;
      case SKIP_SEQUENCES, RAISE_LEVEL -> RESERVED;
      case OP_NOT_SET -> UNKNOWN;
    };
  }

  /** Whether only daemons make this request. */
  static boolean isInternal(MetaRequest request) {
    return switch (request.getOpCase()) {
      case BEGIN_RECOVERY,
          FINISH_RECOVERY,
          RECLAIM,
          ACK_DELETIONS,
          RECORD_CLUSTER,
          POLL_DELETIONS,
          FILE_EXISTS,
          LIST_LEASES,
          CHANGE_RING,
          PROMOTE,
          REPORT_LACKING,
          LIFT_EXCLUSIONS,
          LIST_HOLDINGS,
          LIST_LACKING,
          REVIEW_FILES,
          CONFIRM_HOLDINGS,
          RECLAIM_STATUS ->
          true;
      case LEDGER -> request.getLedger().getOpCase() == LedgerRequest.OpCase.EXPIRE;
      default -> false;
    };
  }
}

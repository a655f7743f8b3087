package io.vdfs.datanode.meta.op.attributes;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.QuotaRecord;
import io.vdfs.common.wire.proto.SetQuotaOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.Usage;

/**
 * Sets, changes or lifts the quota of a directory; for superusers. A quota below what is there
 * already is accepted: nothing can be added then. The first quota of a directory walks its tree
 * once.
 */
final class SetQuotaOperation implements Operation {
  private static final long NO_LIMIT = -1;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("quota");
    SetQuotaOp op = request.getSetQuota();
    InodeRecord old = context.resolve(op.getPath()).requireInode();
    if (!Inodes.isDirectory(old)) {
      throw Refusals.notADirectory(op.getPath());
    }
    QuotaRecord.Builder quota = old.getQuota().toBuilder();
    if (op.hasInodeLimit()) {
      quota.clearInodeLimit();
      if (limit(op.getInodeLimit(), 1, "inodeLimit") != NO_LIMIT) {
        quota.setInodeLimit(op.getInodeLimit());
      }
    }
    if (op.hasSpaceLimit()) {
      quota.clearSpaceLimit();
      if (limit(op.getSpaceLimit(), 0, "spaceLimit") != NO_LIMIT) {
        quota.setSpaceLimit(op.getSpaceLimit());
      }
    }
    InodeRecord.Builder inode = old.toBuilder().clearQuota();
    if (quota.hasInodeLimit() || quota.hasSpaceLimit()) {
      Usage usage = Usage.ofTree(old, context.namespace());
      inode.setQuota(quota.setInodes(usage.inodes()).setSpace(usage.space()));
    }
    changes.putCounted(inode.build());
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static long limit(long limit, long least, String field) throws VdfsException {
    if (limit < least && limit != NO_LIMIT) {
      throw Refusals.invalid(
          "a quota is at least " + least + ", or -1 for none: " + field + "=" + limit);
    }
    return limit;
  }
}

package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;

/**
 * Takes the lease from a writer that the leader gave up, or over from a recovery that an earlier
 * leader began, under a new write epoch.
 */
final class BeginRecoveryOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("lease recovery");
    BeginRecoveryOp op = request.getBeginRecovery();
    InodeRecord old = context.namespace().file(op.getFile());
    if (!Inodes.isOpen(old)) {
      throw Leases.fenced("file is closed", old, op.getWriteEpoch());
    }
    Leases.requireEpoch(old, op.getWriteEpoch());

    FileRecord content = old.getFile();
    InodeRecord file =
        old.toBuilder()
            .setFile(
                content.toBuilder()
                    .setWriteEpoch(Leases.nextEpoch(content))
                    .setLease(
                        content.getLease().toBuilder()
                            .clearHolder()
                            .clearUser()
                            .setRecovering(true)))
            .build();
    changes.put(file);
    return Leases.opened(file, context);
  }
}

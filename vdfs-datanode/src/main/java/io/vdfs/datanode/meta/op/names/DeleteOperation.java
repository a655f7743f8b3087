package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.DeleteResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;

/**
 * Deletes a file, or a directory with all below it; the root stays. A tree is detached in one step
 * and reclaimed later, so deleting costs the same whatever its size; only the permission check of a
 * caller who is not the superuser has to walk it.
 */
final class DeleteOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    DeleteOp op = request.getDelete();
    ResolvedPath resolved = context.resolve(op.getPath());
    resolved.requireRemoval(context.access());
    if (!resolved.exists()) {
      return response(false);
    }
    InodeRecord inode = resolved.inode();
    boolean hasChildren = context.namespace().hasChildren(inode.getId());
    if (hasChildren && !op.getRecursive()) {
      throw Refusals.notEmpty(resolved.path());
    }
    if (resolved.path().isRoot()) {
      return response(false);
    }
    if (hasChildren && !context.access().isSuperuser()) {
      new SubtreeRemoval(context, resolved.path()).check(inode);
    }
    changes.free(inode, hasChildren);
    changes.touch(resolved.parent());
    return response(true);
  }

  private static MetaResponse response(boolean deleted) {
    return MetaResponse.newBuilder()
        .setDelete(DeleteResult.newBuilder().setDeleted(deleted))
        .build();
  }
}

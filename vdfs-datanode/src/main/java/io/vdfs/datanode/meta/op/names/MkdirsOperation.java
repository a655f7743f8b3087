package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.MkdirsResult;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;

/** Makes a directory, and its parents where asked to; one that exists already is fine. */
final class MkdirsOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    MkdirsOp op = request.getMkdirs();
    MetaPath path = MetaPath.parse(op.getPath(), context.settings().limits()).requireCreatable();
    int mode = Checks.mode(op.getMode());
    ResolvedPath resolved = context.resolve(path);
    if (resolved.exists()) {
      if (!Inodes.isDirectory(resolved.inode())) {
        throw Refusals.alreadyExists(path);
      }
      return response(false);
    }
    resolved.requireAncestorWrite(context.access());
    if (!op.getCreateParents()) {
      resolved.requireParent();
    }
    NewInodes inodes = new NewInodes(context, changes);
    CreationMode creation =
        new CreationMode(mode, op.hasUnmaskedMode() ? Checks.mode(op.getUnmaskedMode()) : mode);
    InodeRecord parent = inodes.makeParents(resolved, creation);
    inodes.makeDirectory(parent, path.name(), path.depth(), creation);
    return response(true);
  }

  private static MetaResponse response(boolean created) {
    return MetaResponse.newBuilder()
        .setMkdirs(MkdirsResult.newBuilder().setCreated(created))
        .build();
  }
}

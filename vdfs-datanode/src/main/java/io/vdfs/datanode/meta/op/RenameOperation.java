package io.vdfs.datanode.meta.op;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.RenameResult;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;

/**
 * Moves a file or a whole tree to an exact target, by the rules of HDFS's rename with options.
 *
 * <p>Unlike HDFS, overwriting in a directory with sticky bit needs the right to remove the target,
 * as POSIX asks.
 */
final class RenameOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    RenameOp op = request.getRename();
    ResolvedPath source = context.resolve(op.getSource());
    MetaPath targetPath =
        MetaPath.parse(op.getTarget(), context.settings().limits()).requireCreatable();
    ResolvedPath target = context.resolve(targetPath);
    source.requireRemoval(context.access());
    target.requireAncestorWrite(context.access());

    InodeRecord moved = source.requireInode();
    requireDistinct(source.path(), targetPath);
    if (target.exists()) {
      requireOverwritable(moved, target, op.getOverwrite(), context.namespace());
      target.requireRemoval(context.access());
    }
    InodeRecord targetParent = target.requireParent();

    if (target.exists()) {
      changes.free(target.inode(), false);
    }
    changes.touch(source.parent());
    changes.touch(targetParent);
    changes.put(
        moved.toBuilder().setParentId(targetParent.getId()).setName(targetPath.name()).build());
    return MetaResponse.newBuilder().setRename(RenameResult.getDefaultInstance()).build();
  }

  private static void requireDistinct(MetaPath source, MetaPath target) throws VdfsException {
    if (source.isRoot() || target.isRoot()) {
      throw Refusals.invalid(
          "the root can be neither moved nor replaced: source=" + source + ", target=" + target);
    }
    if (source.equals(target)) {
      throw Refusals.alreadyExists(target);
    }
    if (source.isAbove(target)) {
      throw Refusals.invalid(
          "a directory can't be moved below itself: source=" + source + ", target=" + target);
    }
  }

  private static void requireOverwritable(
      InodeRecord moved, ResolvedPath target, boolean overwrite, Namespace namespace)
      throws VdfsException {
    InodeRecord old = target.inode();
    if (Inodes.isDirectory(moved) && !Inodes.isDirectory(old)) {
      throw Refusals.notADirectory(target.path().text());
    }
    if (!Inodes.isDirectory(moved) && Inodes.isDirectory(old)) {
      throw Refusals.isADirectory(target.path());
    }
    if (!overwrite) {
      throw Refusals.alreadyExists(target.path());
    }
    if (namespace.hasChildren(old.getId())) {
      throw Refusals.notEmpty(target.path());
    }
  }
}

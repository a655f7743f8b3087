package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.RenameResult;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;

/**
 * Moves a file or a whole tree to an exact target, by the rules of HDFS's rename with options, or
 * into the target where that is a directory, by the rules of the one without.
 *
 * <p>Unlike HDFS, overwriting in a directory with sticky bit needs the right to remove the target,
 * as POSIX asks.
 */
final class RenameOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    RenameOp op = request.getRename();
    boolean moved = true;
    if (op.getIntoDirectory()) {
      moved = moveInto(op, context, changes);
    } else {
      ResolvedPath source = context.resolve(op.getSource());
      MetaPath target =
          MetaPath.parse(op.getTarget(), context.settings().limits()).requireCreatable();
      move(source, context.resolve(target), op.getOverwrite(), context, changes);
    }
    return MetaResponse.newBuilder().setRename(RenameResult.newBuilder().setMoved(moved)).build();
  }

  /**
   * @return false where HDFS refuses without saying why
   */
  private static boolean moveInto(RenameOp op, MetaContext context, Changes changes)
      throws VdfsException {
    if (op.getOverwrite()) {
      throw Refusals.invalid(
          "a rename into a directory replaces nothing: target=" + op.getTarget());
    }
    ResolvedPath target = context.resolve(op.getTarget());
    try {
      MetaPath source = MetaPath.parse(op.getSource(), context.settings().limits());
      moveTo(source, exactTarget(source, target, context), context, changes);
      return true;
    } catch (VdfsException e) {
      if (isPlainRefusal(e.code())) {
        return false;
      }
      throw e;
    }
  }

  private static MetaPath exactTarget(MetaPath source, ResolvedPath target, MetaContext context)
      throws VdfsException {
    if (!target.exists() || !Inodes.isDirectory(target.inode())) {
      return target.path();
    }
    String directory = target.path().isRoot() ? "" : target.path().text();
    return MetaPath.parse(directory + "/" + source.name(), context.settings().limits());
  }

  /** Something that stays where it is needs no right to be moved. */
  private static void moveTo(MetaPath source, MetaPath exact, MetaContext context, Changes changes)
      throws VdfsException {
    if (source.equals(exact)) {
      context.resolve(source).requireInode();
      return;
    }
    requireDistinct(source, exact);
    ResolvedPath target = context.resolve(exact.requireCreatable());
    try {
      move(context.resolve(source), target, false, context, changes);
    } catch (VdfsException e) {
      // whatever exists at the target is in the way; a target below a file is a different refusal
      throw e.code() == ErrorCode.NOT_A_DIRECTORY && target.exists()
          ? Refusals.alreadyExists(exact)
          : e;
    }
  }

  private static boolean isPlainRefusal(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND, ALREADY_EXISTS, IS_A_DIRECTORY, DIRECTORY_NOT_EMPTY, INVALID_ARGUMENT -> true;
      default -> false;
    };
  }

  private static void move(
      ResolvedPath source,
      ResolvedPath target,
      boolean overwrite,
      MetaContext context,
      Changes changes)
      throws VdfsException {
    source.requireRemoval(context.access());
    target.requireAncestorWrite(context.access());

    InodeRecord moved = source.requireInode();
    requireDistinct(source.path(), target.path());
    if (target.exists()) {
      requireOverwritable(moved, target, overwrite, context.namespace());
      target.requireRemoval(context.access());
    }
    InodeRecord targetParent = target.requireParent();

    if (target.exists()) {
      changes.free(target.inode(), false);
    }
    changes.touch(source.parent());
    changes.touch(targetParent);
    changes.put(
        moved.toBuilder().setParentId(targetParent.getId()).setName(target.path().name()).build());
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

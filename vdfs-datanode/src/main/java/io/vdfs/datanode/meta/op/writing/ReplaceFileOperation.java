package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PinnedFileProto;
import io.vdfs.common.wire.proto.ReplaceFileOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts a file that its writer made of others in the place of one of them, with that one's name,
 * owner, permissions, attributes and replication, and removes the rest: the last step of concat and
 * truncate. All files must be closed, and those it was made of unchanged.
 */
final class ReplaceFileOperation implements Operation {
  private static final int MAX_SOURCES = 10_000;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    ReplaceFileOp op = request.getReplaceFile();
    if (op.getSourcesCount() > MAX_SOURCES) {
      throw Refusals.invalid(
          "too many files at once: sources=" + op.getSourcesCount() + ", limit=" + MAX_SOURCES);
    }
    ResolvedPath target = pinned(op.getTarget(), context);
    context.access().require(target.inode(), Action.WRITE, target.path().text());
    List<ResolvedPath> sources = new ArrayList<>();
    for (PinnedFileProto source : op.getSourcesList()) {
      sources.add(source(source, context));
    }
    ResolvedPath replacement = replacement(op.getReplacement(), context);
    requireDistinct(target, sources, replacement);
    if (op.getChecksCopies()) {
      requireCopies(target, replacement);
    }

    for (ResolvedPath source : sources) {
      changes.free(source.inode(), false);
      changes.touch(source.parent());
    }
    changes.free(target.inode(), false);
    changes.touch(target.parent());
    changes.touch(replacement.parent());
    changes.put(inPlaceOf(target.inode(), replacement.inode(), context));
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static InodeRecord inPlaceOf(InodeRecord old, InodeRecord fresh, MetaContext context) {
    return old.toBuilder()
        .setId(fresh.getId())
        .setModificationMillis(context.now())
        .setFile(
            fresh.getFile().toBuilder()
                .setReplication(old.getFile().getReplication())
                .setCountedCopies(
                    Math.min(old.getFile().getReplication(), fresh.getFile().getCountedCopies()))
                .setBlockSize(old.getFile().getBlockSize()))
        .build();
  }

  /** The replication may have been raised while the replacement was written. */
  private static void requireCopies(ResolvedPath target, ResolvedPath replacement)
      throws VdfsException {
    int wanted = target.inode().getFile().getReplication();
    int made = replacement.inode().getFile().getReplication();
    if (made < wanted) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "replication was raised meanwhile, begin again: path=%s, replication=%s, made with=%s"
              .formatted(target.path(), wanted, made));
    }
  }

  private static ResolvedPath source(PinnedFileProto pin, MetaContext context)
      throws VdfsException {
    ResolvedPath source = pinned(pin, context);
    context.access().require(source.inode(), Action.READ, pin.getPath());
    source.requireRemoval(context.access());
    return source;
  }

  private static ResolvedPath pinned(PinnedFileProto pin, MetaContext context)
      throws VdfsException {
    ResolvedPath resolved = context.resolve(pin.getPath());
    InodeRecord file = resolved.requireFile();
    Leases.requireClosed(file, resolved.path());
    if (!Inodes.key(file).equals(pin.getFile()) || file.getFile().getLength() != pin.getLength()) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "file changed meanwhile: path=%s, expected=%s of %s bytes, found=%s of %s"
              .formatted(
                  pin.getPath(),
                  pin.getFile().getFileId(),
                  pin.getLength(),
                  file.getId(),
                  file.getFile().getLength()));
    }
    return resolved;
  }

  private static ResolvedPath replacement(String path, MetaContext context) throws VdfsException {
    ResolvedPath replacement = context.resolve(path);
    InodeRecord file = replacement.requireFile();
    Leases.requireClosed(file, replacement.path());
    context.access().requireOwner(file, path);
    replacement.requireRemoval(context.access());
    return replacement;
  }

  private static void requireDistinct(
      ResolvedPath target, List<ResolvedPath> sources, ResolvedPath replacement)
      throws VdfsException {
    Set<Long> ids = new HashSet<>();
    ids.add(target.inode().getId());
    boolean distinct = ids.add(replacement.inode().getId());
    for (ResolvedPath source : sources) {
      distinct &= ids.add(source.inode().getId());
    }
    if (!distinct) {
      throw Refusals.invalid("a file is named twice: target=" + target.path());
    }
  }
}

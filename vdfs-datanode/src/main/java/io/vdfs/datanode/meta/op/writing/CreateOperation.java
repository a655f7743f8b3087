package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.copies.ReplicationFactor;
import io.vdfs.datanode.meta.op.names.CreationMode;
import io.vdfs.datanode.meta.op.names.NewInodes;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;

/**
 * Makes a file and opens it for writing. Overwriting frees the old file in the same entry.
 *
 * <p>A file that is being written is overwritten too, as in HDFS: its lease ends with it, and the
 * old writer is refused from then on. Missing parents get the mode of the directory they are made
 * in.
 */
final class CreateOperation implements Operation {
  private static final int FIRST_EPOCH = 1;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    CreateOp op = request.getCreate();
    MetaPath path = MetaPath.parse(op.getPath(), context.settings().limits()).requireCreatable();
    int masked = Checks.mode(op.getMode());
    CreationMode mode =
        new CreationMode(masked, op.hasUnmaskedMode() ? Checks.mode(op.getUnmaskedMode()) : masked);
    FileRecord content = content(op, context);

    ResolvedPath resolved = context.resolve(path);
    resolved.requireAncestorWrite(context.access());
    if (resolved.exists()) {
      requireOverwritable(op, resolved, context.access());
    } else if (!op.getCreateParents()) {
      resolved.requireParent();
    }

    NewInodes inodes = new NewInodes(context, changes);
    if (resolved.exists()) {
      changes.free(resolved.inode(), false);
    }
    InodeRecord parent =
        inodes.makeParents(resolved, CreationMode.of(resolved.ancestor().getMode()));
    InodeRecord file = inodes.file(parent, path.name(), mode, content);
    changes.put(file);
    return Leases.openedForWriting(file, context);
  }

  private static FileRecord content(CreateOp op, MetaContext context) throws VdfsException {
    int replication =
        op.getReplication() == 0
            ? context.settings().defaults().replication()
            : Checks.replication(op.getReplication(), context);
    long blockSize =
        op.getBlockSize() == 0
            ? context.settings().defaults().blockSize()
            : Checks.notNegative(op.getBlockSize(), "blockSize");
    ByteString holder = Checks.id(op.getHolder(), "holder");
    return ReplicationFactor.of(replication, op.getRingCopies())
        .ofNew(FileRecord.newBuilder())
        .setGeneration(1)
        .setBlockSize(blockSize)
        .setWriteEpoch(FIRST_EPOCH)
        .setLease(Leases.of(holder, context.access().user(), 0, FIRST_EPOCH))
        .build();
  }

  private static void requireOverwritable(CreateOp op, ResolvedPath resolved, Access access)
      throws VdfsException {
    InodeRecord old = resolved.inode();
    MetaPath path = resolved.path();
    if (Inodes.isDirectory(old)) {
      throw op.getOverwrite() ? Refusals.isADirectory(path) : Refusals.alreadyExists(path);
    }
    if (!op.getOverwrite()) {
      Leases.requireClosed(old, path);
      throw Refusals.alreadyExists(path);
    }
    access.require(old, Action.WRITE, path.text());
  }
}

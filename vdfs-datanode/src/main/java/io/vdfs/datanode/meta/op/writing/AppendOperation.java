package io.vdfs.datanode.meta.op.writing;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.access.Action;

/** Opens a closed file for writing at its end, under a new write epoch. */
final class AppendOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    AppendOp op = request.getAppend();
    ByteString holder = Checks.id(op.getHolder(), "holder");
    ResolvedPath resolved = context.resolve(op.getPath());
    InodeRecord old = resolved.requireFile();
    context.access().require(old, Action.WRITE, op.getPath());
    Leases.requireClosed(old, resolved.path());

    FileRecord content = old.getFile();
    int epoch = Leases.nextEpoch(content);
    InodeRecord file =
        old.toBuilder()
            .setFile(
                content.toBuilder()
                    .setWriteEpoch(epoch)
                    .setLease(
                        Leases.of(holder, context.access().user(), content.getLength(), epoch)))
            .build();
    changes.put(file);
    return Leases.openedForWriting(file, context);
  }
}

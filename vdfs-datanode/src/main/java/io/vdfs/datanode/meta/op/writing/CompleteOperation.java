package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CompleteResult;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.copies.Exclusions;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import java.util.List;

/** Closes a file whose writer proves that all it wrote is durable. */
final class CompleteOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    CompleteOp op = request.getComplete();
    InodeRecord file =
        Leases.requireWriter(op.getFile(), op.getHolder(), op.getWriteEpoch(), context);
    FileRecord content = file.getFile();
    requireLength(op.getLength(), content, context);
    new SyncedGroups(
            op.getSyncedList(), op.getRequiredCopies(), content, context.settings().geometry())
        .checkUpTo(op.getLength());
    Exclusions exclusions = new UnnamedKeepers(file, context).added(op.getSyncedList());
    List<Integer> checksums =
        new ToldChecksums(content, context.settings().geometry()).with(op.getSyncedList());
    return close(file, op.getLength(), exclusions, checksums, context, changes);
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if {@code length} is below the recorded one, or too
   *     large
   */
  static void requireLength(long length, FileRecord content, MetaContext context)
      throws VdfsException {
    if (Checks.fileLength(length, context) < content.getLength()) {
      throw Refusals.invalid(
          "a file never gets shorter than what was acknowledged: length=%s, acknowledged=%s"
              .formatted(length, content.getLength()));
    }
  }

  /**
   * Ends the lease: the file has {@code length} bytes, and nodes lack what is excluded so far.
   * Exclusions behind the end stay: such a node may have bytes there that never were in the file.
   *
   * @param checksums of its groups
   */
  static MetaResponse close(
      InodeRecord file,
      long length,
      Exclusions exclusions,
      List<Integer> checksums,
      MetaContext context,
      Changes changes) {
    InodeRecord closed =
        file.toBuilder()
            .setModificationMillis(context.now())
            .setFile(
                file.getFile().toBuilder()
                    .setLength(length)
                    .clearLease()
                    .clearExclusions()
                    .addAllExclusions(exclusions.ranges())
                    .clearGroupChecksums()
                    .addAllGroupChecksums(checksums))
            .build();
    changes.put(closed);
    return MetaResponse.newBuilder()
        .setComplete(CompleteResult.newBuilder().setStatus(Inodes.status(closed)))
        .build();
  }
}

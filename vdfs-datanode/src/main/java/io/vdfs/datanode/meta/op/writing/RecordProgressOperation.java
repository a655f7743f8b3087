package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.copies.Exclusions;
import io.vdfs.datanode.meta.state.MetaContext;

/**
 * Records what a writer has done so far. Whole groups that are durable raise the length that
 * recovery begins with, and need not be named when the file is closed; what is only flushed is
 * shown to readers, and promises nothing. Neither ever falls.
 */
final class RecordProgressOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    RecordProgressOp op = request.getRecordProgress();
    changes.countOnly();
    InodeRecord file =
        Leases.requireWriter(op.getFile(), op.getHolder(), op.getWriteEpoch(), context);
    FileRecord content = file.getFile();
    LeaseRecord lease = content.getLease();
    ClusterGeometry geometry = context.settings().geometry();
    int recorded =
        new SyncedGroups(op.getSyncedList(), op.getRequiredCopies(), content, geometry)
            .checkWholeGroups();
    long whole = Checks.fileLength(recorded * geometry.groupSize(), context);
    long flushed = Checks.fileLength(op.getFlushedLength(), context);
    Exclusions exclusions = new UnnamedKeepers(file, context).added(op.getSyncedList());
    InodeRecord after =
        file.toBuilder()
            .setFile(
                content.toBuilder()
                    .clearExclusions()
                    .addAllExclusions(exclusions.ranges())
                    .clearGroupChecksums()
                    .addAllGroupChecksums(
                        new ToldChecksums(content, geometry).with(op.getSyncedList()))
                    .setLength(Math.max(content.getLength(), whole))
                    .setLease(
                        lease.toBuilder()
                            .setRecordedGroups(recorded)
                            .setFlushedLength(Math.max(lease.getFlushedLength(), flushed))))
            .build();
    if (!after.equals(file)) {
      changes.put(after);
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }
}

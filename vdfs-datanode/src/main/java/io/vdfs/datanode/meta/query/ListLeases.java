package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;

/** All leases, by file id, for the leader's lease monitor. Deleted files are left out. */
final class ListLeases implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("list of leases");
    ListLeasesResult.Builder leases = ListLeasesResult.newBuilder();
    context.namespace().forEachOpenFile(file -> leases.addLeases(lease(file)));
    return MetaResponse.newBuilder().setLeases(leases).build();
  }

  private static LeaseProto lease(InodeRecord file) {
    FileRecord content = file.getFile();
    return LeaseProto.newBuilder()
        .setFile(Inodes.key(file))
        .setHolder(content.getLease().getHolder())
        .setWriteEpoch(content.getWriteEpoch())
        .setRecovering(content.getLease().getRecovering())
        .setLength(content.getLength())
        .setReplication(content.getReplication())
        .addAllExclusions(content.getExclusionsList())
        .build();
  }
}

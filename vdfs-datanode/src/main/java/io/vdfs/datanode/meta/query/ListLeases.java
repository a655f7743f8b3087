package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.HashSet;
import java.util.Set;

/** All leases, by file id, for the leader's lease monitor. Deleted files are left out. */
final class ListLeases implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("list of leases");
    Set<FileKeyProto> withPaths = new HashSet<>(request.getListLeases().getWithPathsList());
    ListLeasesResult.Builder leases = ListLeasesResult.newBuilder();
    context
        .namespace()
        .forEachOpenFile(
            file -> {
              LeaseProto.Builder lease = lease(file);
              if (withPaths.contains(lease.getFile())) {
                lease.setPath(context.namespace().path(file));
              }
              leases.addLeases(lease);
            });
    return MetaResponse.newBuilder().setLeases(leases).build();
  }

  private static LeaseProto.Builder lease(InodeRecord file) {
    FileRecord content = file.getFile();
    return LeaseProto.newBuilder()
        .setFile(Inodes.key(file))
        .setHolder(content.getLease().getHolder())
        .setUser(content.getLease().getUser())
        .setWriteEpoch(content.getWriteEpoch())
        .setRecovering(content.getLease().getRecovering())
        .setLength(content.getLength())
        .setReplication(content.getReplication())
        .addAllExclusions(content.getExclusionsList());
  }
}

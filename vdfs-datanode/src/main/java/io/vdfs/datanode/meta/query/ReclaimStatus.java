package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.ReclaimResult;
import io.vdfs.datanode.meta.state.MetaContext;

/** Whether there is anything to reclaim, so that the leader logs nothing when there isn't. */
final class ReclaimStatus implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("reclaim");
    return MetaResponse.newBuilder()
        .setReclaim(ReclaimResult.newBuilder().setPending(context.namespace().detached().size()))
        .build();
  }
}

package io.vdfs.datanode.meta.op.copies;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;

/**
 * Gives up what the metadata lost: from now on nodes may again take files that are not known here
 * for garbage. Changes nothing where nothing was lost.
 */
final class AcceptLossOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("acceptance of a loss");
    if (context.namespace().isLossOpen()) {
      changes.acceptLosses();
    }
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }
}

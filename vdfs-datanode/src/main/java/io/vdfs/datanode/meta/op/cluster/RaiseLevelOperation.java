package io.vdfs.datanode.meta.op.cluster;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.MetaContext;

/** Raises the feature level; one that is not above the level in force changes nothing. */
final class RaiseLevelOperation implements Operation {
  private final FeatureLevels levels;

  RaiseLevelOperation(FeatureLevels levels) {
    this.levels = levels;
  }

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("raise the feature level");
    int level = request.getRaiseLevel().getLevel();
    levels.requireReadable("request", level);
    changes.raiseLevel(level);
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }
}

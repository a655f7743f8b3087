package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SurplusResult;
import io.vdfs.datanode.meta.state.MetaContext;

/** The bytes that lie on disks without counting, as replications were lowered. */
final class Surplus implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) {
    return MetaResponse.newBuilder()
        .setSurplus(SurplusResult.newBuilder().setBytes(context.namespace().surplusBytes()))
        .build();
  }
}

package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;

/** The metadata group's record of its cluster; an empty message before there is one. */
final class ClusterRecord implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) {
    return MetaResponse.newBuilder().setClusterRecord(context.cluster()).build();
  }
}

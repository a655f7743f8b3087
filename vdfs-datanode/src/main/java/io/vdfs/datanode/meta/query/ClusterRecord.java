package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;

/** What the metadata group has recorded of its cluster; an empty message before it has anything. */
final class ClusterRecord implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) {
    return MetaResponse.newBuilder().setClusterRecord(context.cluster()).build();
  }
}

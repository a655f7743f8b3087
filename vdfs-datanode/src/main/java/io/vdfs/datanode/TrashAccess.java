package io.vdfs.datanode;

import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.hadoop.LeaderAccess;
import io.vdfs.datanode.host.MetadataHost;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.rpc.LeaderGateway;
import java.util.concurrent.CompletableFuture;

/** How the emptier of the trash gets to the metadata. Thread-safe. */
record TrashAccess(MetadataHost hosting, LeaderGateway gateway) implements LeaderAccess {
  @Override
  public boolean leads() {
    return hosting.member().filter(GroupMember::isLeader).isPresent();
  }

  @Override
  public CompletableFuture<MetaResponse> call(MetaRequest request, CallerProto caller) {
    return gateway.call(request, caller);
  }
}

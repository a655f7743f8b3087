package io.vdfs.datanode.rpc;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A group member that notes what it is asked. Thread-safe. */
public final class FakeMember implements GroupMember {
  final List<MetaRequest> submitted = new CopyOnWriteArrayList<>();
  final List<MetaRequest> executed = new CopyOnWriteArrayList<>();
  final List<MetaRequest> queried = new CopyOnWriteArrayList<>();
  final List<Long> recalledAges = new CopyOnWriteArrayList<>();
  volatile Optional<NodeId> leader = Optional.empty();
  public volatile boolean leading = true;
  final List<List<MetadataMember>> changes = new CopyOnWriteArrayList<>();
  volatile GroupConfiguration configuration = new GroupConfiguration(-1, List.of(), List.of());
  volatile CompletableFuture<Void> change = CompletableFuture.completedFuture(null);
  public volatile MetaResponse response =
      MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  volatile Function<MetaRequest, MetaResponse> applying = request -> response;
  volatile Function<MetaRequest, MetaResponse> answering = request -> response;
  volatile Function<MetaRequest, Optional<MetaResponse>> recalling = request -> Optional.empty();

  @Override
  public CompletableFuture<MetaResponse> submit(MetaRequest request) {
    submitted.add(request);
    if (leading) {
      executed.add(request);
    }
    return answer(request, applying);
  }

  @Override
  public CompletableFuture<Optional<MetaResponse>> recall(MetaRequest request, long ageMillis) {
    recalledAges.add(ageMillis);
    return CompletableFuture.completedFuture(
        leading
            ? recalling.apply(request)
            : Optional.of(Errors.notLeader(leader, "not the leader")));
  }

  @Override
  public CompletableFuture<MetaResponse> query(MetaRequest request) {
    queried.add(request);
    return answer(request, answering);
  }

  private CompletableFuture<MetaResponse> answer(
      MetaRequest request, Function<MetaRequest, MetaResponse> leads) {
    return CompletableFuture.completedFuture(
        leading ? leads.apply(request) : Errors.notLeader(leader, "not the leader"));
  }

  @Override
  public boolean isLeader() {
    return leading;
  }

  @Override
  public Optional<NodeId> leader() {
    return leader;
  }

  @Override
  public boolean hears(NodeId member) {
    return leading;
  }

  @Override
  public long term() {
    return 1;
  }

  @Override
  public int level() {
    return 2;
  }

  @Override
  public int newestLevel() {
    return 3;
  }

  @Override
  public boolean isStarting() {
    return false;
  }

  @Override
  public GroupStatus status() {
    return new GroupStatus(
        leading ? GroupStatus.Role.LEADER : GroupStatus.Role.FOLLOWER,
        1,
        leader,
        configuration,
        1,
        7,
        7,
        7,
        Optional.empty());
  }

  @Override
  public CompletableFuture<Void> change(List<MetadataMember> members) {
    changes.add(members);
    return change;
  }

  @Override
  public void close() {}
}

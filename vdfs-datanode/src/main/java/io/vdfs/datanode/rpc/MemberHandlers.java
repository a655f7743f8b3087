package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.MetadataChangeProto;
import io.vdfs.common.wire.proto.MetadataChangeRequest;
import io.vdfs.common.wire.proto.MetadataChangeResponse;
import io.vdfs.common.wire.proto.MetadataInviteRequest;
import io.vdfs.common.wire.proto.MetadataInviteResponse;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.rpc.request.Callers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Answers the control calls about the members of the metadata group. Everybody may ask for the
 * status; only superusers change members, and only nodes invite them. Thread-safe.
 */
public final class MemberHandlers {
  private final MemberService service;
  private final NodeId self;
  private final Callers callers;

  public MemberHandlers(MemberService service, NodeId self, Callers callers) {
    this.service = service;
    this.self = self;
    this.callers = callers;
  }

  /** The handlers by the names of the calls. */
  public Map<String, ControlHandler> byMethod() {
    return Map.of(
        ControlMethods.METADATA_STATUS, this::status,
        ControlMethods.METADATA_CHANGE, this::change);
  }

  /** The handlers for callers that have proved to be nodes, by the names of the calls. */
  public Map<String, ControlHandler> ofNodes() {
    return Map.of(ControlMethods.METADATA_INVITE, this::invite);
  }

  private CompletionStage<byte[]> status(ControlCall call) {
    MetadataStatusResponse.Builder response =
        MetadataStatusResponse.newBuilder()
            .setNode(WireIds.encode(self))
            .setStarting(service.isStarting())
            .setLevel(service.level())
            .setNewestLevel(service.newestLevel())
            .setVersion(BuildVersion.running().version())
            .setCommit(BuildVersion.running().commit());
    service.stopped().ifPresent(response::setStopped);
    service.status().ifPresent(status -> fill(response, status));
    service.groupId().ifPresent(group -> response.setGroupId(WireIds.encode(group)));
    service.lastChange().ifPresent(change -> response.setLastChange(encode(change)));
    return CompletableFuture.completedFuture(response.build().toByteArray());
  }

  private static void fill(MetadataStatusResponse.Builder response, GroupStatus status) {
    response
        .setMember(true)
        .setRole(status.role().name())
        .setTerm(status.term())
        .addAllMembers(encode(status.configuration().members()))
        .addAllLeaving(encode(status.configuration().leaving()))
        .setConfigurationIndex(status.configuration().index())
        .setLastTerm(status.lastTerm())
        .setLastIndex(status.last())
        .setCommittedIndex(status.committed())
        .setAppliedIndex(status.applied());
    status.doubt().ifPresent(doubt -> response.setDoubt(doubt.name()));
    status.leader().ifPresent(leader -> response.setLeader(WireIds.encode(leader)));
  }

  private static List<MetadataMemberProto> encode(List<MetadataMember> members) {
    return members.stream()
        .map(
            member ->
                MetadataMemberProto.newBuilder()
                    .setId(WireIds.encode(member.id()))
                    .setHost(member.host())
                    .setRaftPort(member.raftPort())
                    .build())
        .toList();
  }

  private static MetadataChangeProto encode(MemberChange change) {
    MetadataChangeProto.Builder proto =
        MetadataChangeProto.newBuilder()
            .setState(MetadataChangeProto.State.valueOf(change.state().name()))
            .setMessage(change.message());
    change.removed().ifPresent(node -> proto.setRemoved(WireIds.encode(node)));
    change.added().ifPresent(node -> proto.setAdded(WireIds.encode(node)));
    return proto.build();
  }

  private CompletionStage<byte[]> change(ControlCall call) throws VdfsException {
    requireSuperuser(ControlMethods.METADATA_CHANGE, call);
    MetadataChangeRequest request =
        Bodies.parse(ControlMethods.METADATA_CHANGE, call.body(), MetadataChangeRequest.parser());
    Optional<NodeId> removed = node("remove", request.getRemove());
    Optional<NodeId> added = node("add", request.getAdd());
    if (removed.equals(added)) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a change adds or removes a metadata member: remove=%s, add=%s"
              .formatted(removed, added));
    }
    service.change(removed, added);
    return CompletableFuture.completedFuture(
        MetadataChangeResponse.getDefaultInstance().toByteArray());
  }

  private CompletionStage<byte[]> invite(ControlCall call) throws VdfsException {
    MetadataInviteRequest request =
        Bodies.parse(ControlMethods.METADATA_INVITE, call.body(), MetadataInviteRequest.parser());
    NodeId group =
        node("group", request.getGroupId())
            .orElseThrow(
                () -> new VdfsException(ErrorCode.INVALID_ARGUMENT, "an invitation names a group"));
    return service
        .invite(group.uuid(), request.getVersion(), request.getLevel())
        .handle(
            (done, failure) ->
                failure == null
                    ? MetadataInviteResponse.getDefaultInstance()
                    : MetadataInviteResponse.newBuilder().setError(error(failure)).build())
        .thenApply(MetadataInviteResponse::toByteArray);
  }

  private static ErrorProto error(Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof VdfsException known
        ? WireIds.encode(known)
        : WireIds.error(ErrorCode.INTERNAL, "cannot host metadata: error=" + cause);
  }

  private void requireSuperuser(String method, ControlCall call) throws VdfsException {
    CallerProto caller = callers.of(call.user());
    if (!caller.getSuperuser()) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only a superuser may do this: call=%s, user=%s".formatted(method, caller.getUser()));
    }
  }

  private static Optional<NodeId> node(String what, ByteString id) throws VdfsException {
    return id.isEmpty() ? Optional.empty() : Optional.of(new NodeId(WireIds.uuid(what, id)));
  }
}

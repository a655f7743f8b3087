package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataChangeProto;
import io.vdfs.common.wire.proto.MetadataChangeRequest;
import io.vdfs.common.wire.proto.MetadataInviteRequest;
import io.vdfs.common.wire.proto.MetadataInviteResponse;
import io.vdfs.common.wire.proto.MetadataStatusRequest;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LogDoubt;
import io.vdfs.datanode.rpc.request.Callers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class MemberHandlersTest {
  private final NodeId self = NodeId.random();
  private final NodeId other = NodeId.random();
  private final UUID group = UUID.randomUUID();
  private final List<String> asked = new ArrayList<>();
  private Optional<GroupStatus> status = Optional.empty();
  private Optional<MemberChange> change = Optional.empty();
  private Optional<String> stopped = Optional.empty();
  private CompletableFuture<Void> invited = CompletableFuture.completedFuture(null);

  private final MemberService service =
      new MemberService() {
        @Override
        public boolean isStarting() {
          return status.isEmpty();
        }

        @Override
        public Optional<GroupStatus> status() {
          return status;
        }

        @Override
        public Optional<UUID> groupId() {
          return status.map(present -> group);
        }

        @Override
        public Optional<String> stopped() {
          return stopped;
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
        public Optional<MemberChange> lastChange() {
          return change;
        }

        @Override
        public void change(Optional<NodeId> removed, Optional<NodeId> added) {
          asked.add("-" + removed + " +" + added);
        }

        @Override
        public CompletableFuture<Void> invite(UUID groupId, long version, int level) {
          asked.add(groupId + "@" + version + " level " + level);
          return invited;
        }
      };

  private final MemberHandlers handlers =
      new MemberHandlers(
          service, self, new Callers("hdfs", "admins", user -> List.of(user + "-group")));

  private byte[] call(String user, String method, MessageLite request) throws Exception {
    return handlers
        .byMethod()
        .get(method)
        .handle(RpcFixture.call(user, request.toByteArray()))
        .toCompletableFuture()
        .join();
  }

  private byte[] invite(MetadataInviteRequest request) throws Exception {
    return handlers
        .ofNodes()
        .get(ControlMethods.METADATA_INVITE)
        .handle(RpcFixture.call("whoever", request.toByteArray()))
        .toCompletableFuture()
        .join();
  }

  private MetadataStatusResponse status() throws Exception {
    return MetadataStatusResponse.parseFrom(
        call("ann", ControlMethods.METADATA_STATUS, MetadataStatusRequest.getDefaultInstance()));
  }

  @Test
  void shouldTellTheStatusToEverybody() throws Exception {
    assertFalse(status().getMember());
    assertEquals(WireIds.encode(self), status().getNode());
    assertEquals("", status().getStopped());
    assertTrue(status().getStarting());
    assertEquals(2, status().getLevel());
    assertEquals(3, status().getNewestLevel());
    assertEquals(BuildVersion.running().version(), status().getVersion());
    assertEquals(BuildVersion.running().commit(), status().getCommit());
    stopped = Optional.of("too old");
    assertEquals("too old", status().getStopped());

    MetadataMember one = new MetadataMember(self, "one", 9862);
    MetadataMember two = new MetadataMember(other, "two", 9862);
    status =
        Optional.of(
            new GroupStatus(
                GroupStatus.Role.LEADER,
                5,
                Optional.of(self),
                new GroupConfiguration(40, List.of(one), List.of(one, two)),
                4,
                43,
                42,
                41,
                Optional.of(LogDoubt.TORN)));
    change =
        Optional.of(MemberChange.begun(Optional.of(other), Optional.empty()).failed("too late"));
    MetadataStatusResponse told = status();
    assertTrue(told.getMember());
    assertFalse(told.getStarting());
    assertEquals("LEADER", told.getRole());
    assertEquals(WireIds.encode(self), told.getLeader());
    assertEquals("one", told.getMembers(0).getHost());
    assertEquals(1, told.getMembersCount());
    assertEquals("two", told.getLeaving(0).getHost());
    assertEquals(1, told.getLeavingCount());
    assertEquals(
        List.of(40L, 43L, 42L, 41L),
        List.of(
            told.getConfigurationIndex(),
            told.getLastIndex(),
            told.getCommittedIndex(),
            told.getAppliedIndex()));
    assertEquals(4, told.getLastTerm());
    assertEquals("TORN", told.getDoubt());
    assertEquals(MetadataChangeProto.State.FAILED, told.getLastChange().getState());
    assertEquals("too late", told.getLastChange().getMessage());
    assertEquals(WireIds.encode(other), told.getLastChange().getRemoved());
  }

  @Test
  void shouldChangeMembersForSuperusersOnly() throws Exception {
    MetadataChangeRequest request =
        MetadataChangeRequest.newBuilder().setAdd(WireIds.encode(other)).build();
    VdfsException denied =
        assertThrows(
            VdfsException.class, () -> call("ann", ControlMethods.METADATA_CHANGE, request));
    assertEquals(ErrorCode.PERMISSION_DENIED, denied.code());
    assertFalse(handlers.byMethod().containsKey(ControlMethods.METADATA_INVITE), "for nodes only");
    assertEquals(List.of(), asked);

    assertEquals(0, call("hdfs", ControlMethods.METADATA_CHANGE, request).length);
    assertEquals(List.of("-Optional.empty +" + Optional.of(other)), asked);
    VdfsException nothing =
        assertThrows(
            VdfsException.class,
            () ->
                call(
                    "hdfs",
                    ControlMethods.METADATA_CHANGE,
                    MetadataChangeRequest.getDefaultInstance()));
    assertEquals(ErrorCode.INVALID_ARGUMENT, nothing.code());
  }

  @Test
  void shouldPassOnWhyANodeCannotBeInvited() throws Exception {
    MetadataInviteRequest request =
        MetadataInviteRequest.newBuilder()
            .setGroupId(WireIds.encode(group))
            .setVersion(7)
            .setLevel(2)
            .build();
    assertEquals(0, invite(request).length);
    assertEquals(List.of(group + "@7 level 2"), asked);
    invited =
        CompletableFuture.failedFuture(new VdfsException(ErrorCode.MISCONFIGURED, "port in use"));
    MetadataInviteResponse refused = MetadataInviteResponse.parseFrom(invite(request));
    assertEquals(ErrorCode.MISCONFIGURED, WireIds.errorCode(refused.getError()));
    assertEquals("port in use", refused.getError().getMessage());
  }
}

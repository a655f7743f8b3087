package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.ExpireStreamsOp;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.ListLeasesQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.ReclaimStatusQuery;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class MetaHandlerTest {
  private final RpcFixture node = new RpcFixture();

  private MetaResponse call(String user, MetaRequest.Builder request) throws Exception {
    byte[] answer =
        node.handler
            .handle(RpcFixture.call(user, request.build().toByteArray()))
            .toCompletableFuture()
            .join();
    return MetaResponse.parseFrom(answer);
  }

  private MetaResponse callOfNode(MetaRequest.Builder request) throws Exception {
    byte[] answer =
        node.handler
            .ofNodes()
            .handle(RpcFixture.call("whoever", request.build().toByteArray()))
            .toCompletableFuture()
            .join();
    return MetaResponse.parseFrom(answer);
  }

  private static MetaRequest.Builder mkdirs() {
    return MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/a"));
  }

  @Test
  void shouldPromiseNothingWhileTheGroupIsBeingFounded() throws Exception {
    node.founded = false;
    assertEquals(ErrorCode.UNAVAILABLE, RpcFixture.code(call("ann", mkdirs())));
    assertEquals(List.of(), node.member.submitted);
    node.member.leading = false;
    assertEquals(ErrorCode.NOT_LEADER, RpcFixture.code(call("ann", mkdirs())));
    node.member.leading = true;
    node.founded = true;
    assertFalse(call("ann", mkdirs()).hasError());
  }

  @Test
  void shouldProveTicketsOfWhatTheStateOpenedForWriting() throws Exception {
    FileKey file = new FileKey(258, 3);
    OpenFileResult.Builder opened =
        OpenFileResult.newBuilder()
            .setStatus(StatusProto.newBuilder().setInodeId(258).setGeneration(3).setWriteEpoch(7))
            .setTicket(WriteTicketProto.newBuilder().setLastDeletion(12));
    node.member.response = MetaResponse.newBuilder().setOpenFile(opened).build();
    MetaRequest.Builder create =
        MetaRequest.newBuilder()
            .setCreate(CreateOp.newBuilder().setHolder(WireIds.encode(node.self)));
    for (int call = 0; call < 2; call++) {
      WriteTicketProto ticket = call("ann", create).getOpenFile().getTicket();
      assertEquals(12, ticket.getLastDeletion());
      node.tickets.require(ticket, file, 7);
      assertThrows(VdfsException.class, () -> node.tickets.require(ticket, file, 8));
    }

    node.member.response = MetaResponse.newBuilder().setOpenFile(opened.clearTicket()).build();
    assertFalse(call("ann", create).getOpenFile().hasTicket());
  }

  @Test
  void shouldFillInCallerAndTimeWhateverTheClientSays() throws Exception {
    CallIdProto id = CallIdProto.newBuilder().setCall(7).build();
    CallerProto forged = CallerProto.newBuilder().setUser("root").setSuperuser(true).build();
    call("ann", mkdirs().setCallId(id).setCaller(forged).setTimeMillis(5));
    MetaRequest request = node.member.submitted.get(0);
    assertEquals(
        CallerProto.newBuilder().setUser("ann").addGroups("staff").build(), request.getCaller());
    assertEquals(RpcFixture.NOW, request.getTimeMillis());
    assertEquals(id, request.getCallId());
  }

  @Test
  void shouldLookUpWhatWasSentBefore() throws Exception {
    CallIdProto id = CallIdProto.newBuilder().setCall(7).build();
    List<MetaRequest> recalled = new ArrayList<>();
    node.member.recalling =
        request -> {
          recalled.add(request);
          return Optional.of(Errors.response(ErrorCode.OUTCOME_UNKNOWN, "forgotten"));
        };
    assertEquals(
        ErrorCode.OUTCOME_UNKNOWN,
        RpcFixture.code(call("ann", mkdirs().setCallId(id).setTimeMillis(30_000))));
    assertEquals(List.of(30_000L), node.member.recalledAges);
    assertEquals(List.of(), node.member.submitted);
    assertEquals("ann", recalled.get(0).getCaller().getUser());
    assertEquals(RpcFixture.NOW, recalled.get(0).getTimeMillis());

    node.member.recalling = request -> Optional.empty();
    assertTrue(call("ann", mkdirs().setCallId(id).setTimeMillis(60_000)).hasEmpty());
    assertEquals(List.of(30_000L, 60_000L), node.member.recalledAges);
    assertEquals(RpcFixture.NOW, node.member.submitted.get(0).getTimeMillis());
    assertEquals(id, node.member.submitted.get(0).getCallId());
  }

  @Test
  void shouldLookUpNeitherFirstTriesNorWhatMayHappenTwice() throws Exception {
    CallIdProto id = CallIdProto.newBuilder().setCall(7).build();
    LedgerRequest next = LedgerRequest.newBuilder().setNext(NextRunOp.getDefaultInstance()).build();
    node.member.recalling =
        request -> Optional.of(Errors.response(ErrorCode.OUTCOME_UNKNOWN, "forgotten"));
    for (MetaRequest.Builder request :
        List.of(
            mkdirs().setCallId(id),
            mkdirs().setTimeMillis(300),
            MetaRequest.newBuilder().setCallId(id).setTimeMillis(300).setLedger(next),
            MetaRequest.newBuilder()
                .setCallId(id)
                .setTimeMillis(300)
                .setRecordProgress(RecordProgressOp.getDefaultInstance()),
            MetaRequest.newBuilder()
                .setCallId(id)
                .setTimeMillis(300)
                .setGetStatus(GetStatusQuery.getDefaultInstance()))) {
      assertTrue(call("ann", request).hasEmpty());
    }
    assertEquals(4, node.member.submitted.size());
  }

  @Test
  void shouldProveTheTicketOfAFirstAnswer() throws Exception {
    OpenFileResult.Builder opened =
        OpenFileResult.newBuilder()
            .setStatus(StatusProto.newBuilder().setInodeId(258).setGeneration(3).setWriteEpoch(7))
            .setTicket(WriteTicketProto.newBuilder().setLastDeletion(12));
    node.member.recalling =
        request -> Optional.of(MetaResponse.newBuilder().setOpenFile(opened).build());
    MetaRequest.Builder create =
        MetaRequest.newBuilder()
            .setCallId(CallIdProto.newBuilder().setCall(7))
            .setTimeMillis(20)
            .setCreate(CreateOp.newBuilder().setHolder(WireIds.encode(node.self)));
    WriteTicketProto ticket = call("ann", create).getOpenFile().getTicket();
    node.tickets.require(ticket, new FileKey(258, 3), 7);
    assertEquals(List.of(), node.member.submitted);
  }

  @Test
  void shouldKnowSuperusersByNameAndGroup() throws Exception {
    call("hdfs", mkdirs());
    call("root", mkdirs());
    assertTrue(node.member.submitted.get(0).getCaller().getSuperuser());
    assertTrue(node.member.submitted.get(1).getCaller().getSuperuser());
  }

  /**
   * A caller of the supergroup, or one that says it is the daemons' user: neither is a node by
   * that.
   */
  @Test
  void shouldNotLetASuperuserPassOnAnotherCaller() throws Exception {
    CallerProto ann = CallerProto.newBuilder().setUser("ann").addGroups("staff").build();
    call("root", mkdirs().setCaller(ann));
    call("hdfs", mkdirs().setCaller(ann));
    assertEquals("root", node.member.submitted.get(0).getCaller().getUser());
    assertEquals("hdfs", node.member.submitted.get(1).getCaller().getUser());
  }

  @Test
  void shouldLetANodePassOnTheRequestOfAUser() throws Exception {
    CallerProto ann = CallerProto.newBuilder().setUser("ann").addGroups("staff").build();
    callOfNode(mkdirs().setCaller(ann));
    assertEquals(ann, node.member.submitted.get(0).getCaller());
    MetaResponse response =
        callOfNode(
            MetaRequest.newBuilder().setCaller(ann).setReclaim(ReclaimOp.getDefaultInstance()));
    assertEquals(ErrorCode.PERMISSION_DENIED, RpcFixture.code(response));
  }

  @Test
  void shouldKeepWhoReallyCalls() throws Exception {
    UserGroupInformation oozie = UserGroupInformation.createRemoteUser("oozie");
    node.handler
        .handle(
            new ControlCall(
                UserGroupInformation.createProxyUser("ann", oozie),
                "test",
                mkdirs().build().toByteArray()))
        .toCompletableFuture()
        .join();
    CallerProto caller = node.member.submitted.get(0).getCaller();
    assertEquals("ann", caller.getUser());
    assertEquals("oozie", caller.getRealUser());
  }

  @Test
  void shouldKeepInternalRequestsToNodes() throws Exception {
    List<MetaRequest.Builder> internal =
        List.of(
            MetaRequest.newBuilder().setBeginRecovery(BeginRecoveryOp.getDefaultInstance()),
            MetaRequest.newBuilder().setFinishRecovery(FinishRecoveryOp.getDefaultInstance()),
            MetaRequest.newBuilder().setReclaim(ReclaimOp.getDefaultInstance()),
            MetaRequest.newBuilder().setReclaimStatus(ReclaimStatusQuery.getDefaultInstance()),
            MetaRequest.newBuilder().setAckDeletions(AckDeletionsOp.getDefaultInstance()),
            MetaRequest.newBuilder().setPollDeletions(PollDeletionsQuery.getDefaultInstance()),
            MetaRequest.newBuilder().setListLeases(ListLeasesQuery.getDefaultInstance()),
            MetaRequest.newBuilder()
                .setLedger(
                    LedgerRequest.newBuilder().setExpire(ExpireStreamsOp.getDefaultInstance())));
    for (MetaRequest.Builder request : internal) {
      for (String user : List.of("ann", "root", "hdfs")) {
        assertEquals(ErrorCode.PERMISSION_DENIED, RpcFixture.code(call(user, request)));
      }
      request.setCaller(node.callers.self());
      assertFalse(callOfNode(request).hasError(), () -> "op=" + request.getOpCase());
    }
  }

  @Test
  void shouldMarkStreamsAndDrawsThatMustKeepWithinBounds() throws Exception {
    LedgerRequest chunk =
        LedgerRequest.newBuilder().setCreateChunk(CreateStreamChunkOp.getDefaultInstance()).build();
    call("ann", MetaRequest.newBuilder().setLedger(chunk));
    assertTrue(node.member.submitted.get(0).getLedger().getBounded());
    assertTrue(node.member.submitted.get(0).getLedger().hasCreateChunk());
    assertEquals(
        RpcFixture.STREAM_MEMORY, node.member.submitted.get(0).getLedger().getStreamMemory());
    LedgerRequest next = LedgerRequest.newBuilder().setNext(NextRunOp.getDefaultInstance()).build();
    call("ann", MetaRequest.newBuilder().setLedger(next));
    assertTrue(node.member.submitted.get(1).getLedger().getBounded());
    LedgerRequest close =
        LedgerRequest.newBuilder()
            .setCloseTask(CloseTaskOp.getDefaultInstance())
            .setBounded(true)
            .setStreamMemory(7)
            .build();
    call("ann", MetaRequest.newBuilder().setLedger(close));
    assertFalse(node.member.submitted.get(2).getLedger().getBounded());
    assertEquals(0, node.member.submitted.get(2).getLedger().getStreamMemory());
  }

  @Test
  void shouldHaveNoAnswerToADrawKeptForRetries() throws Exception {
    CallIdProto id = CallIdProto.newBuilder().setCall(7).build();
    LedgerRequest next = LedgerRequest.newBuilder().setNext(NextRunOp.getDefaultInstance()).build();
    LedgerRequest close =
        LedgerRequest.newBuilder().setCloseTask(CloseTaskOp.getDefaultInstance()).build();
    call("ann", MetaRequest.newBuilder().setCallId(id).setLedger(next));
    call("ann", MetaRequest.newBuilder().setCallId(id).setLedger(close));
    assertFalse(node.member.submitted.get(0).hasCallId());
    assertEquals(id, node.member.submitted.get(1).getCallId());
  }

  @Test
  void shouldPutInWhatTheRingMapSays() throws Exception {
    call("ann", MetaRequest.newBuilder().setComplete(CompleteOp.newBuilder().setRequiredCopies(0)));
    assertEquals(2, node.member.submitted.get(0).getComplete().getRequiredCopies());
    callOfNode(
        MetaRequest.newBuilder()
            .setCaller(node.callers.self())
            .setAckDeletions(AckDeletionsOp.newBuilder().addNodes(ByteString.EMPTY)));
    assertEquals(
        List.of(WireIds.encode(node.self), WireIds.encode(node.other)).stream()
            .sorted(ByteString.unsignedLexicographicalComparator())
            .toList(),
        node.member.submitted.get(1).getAckDeletions().getNodesList().stream()
            .sorted(ByteString.unsignedLexicographicalComparator())
            .toList());

    node.ring = Optional.empty();
    assertEquals(
        ErrorCode.UNAVAILABLE,
        RpcFixture.code(
            call("ann", MetaRequest.newBuilder().setComplete(CompleteOp.getDefaultInstance()))));
    callOfNode(
        MetaRequest.newBuilder()
            .setCaller(node.callers.self())
            .setAckDeletions(AckDeletionsOp.getDefaultInstance()));
    assertEquals(0, node.member.submitted.get(2).getAckDeletions().getNodesCount());
  }

  @Test
  void shouldRouteQueriesAndSoftCalls() throws Exception {
    call("ann", MetaRequest.newBuilder().setGetStatus(GetStatusQuery.getDefaultInstance()));
    assertEquals(1, node.member.queried.size());
    assertTrue(
        call(
                "ann",
                MetaRequest.newBuilder()
                    .setRenewLease(
                        RenewLeaseCall.newBuilder().setHolder(WireIds.encode(node.other))))
            .hasEmpty());
    assertEquals(0, node.member.submitted.size());
    node.member.leading = false;
    node.member.leader = Optional.of(node.other);
    for (MetaRequest.Builder soft :
        List.of(
            MetaRequest.newBuilder().setRenewLease(RenewLeaseCall.getDefaultInstance()),
            MetaRequest.newBuilder().setRecoverLease(RecoverLeaseCall.getDefaultInstance()))) {
      MetaResponse response = call("ann", soft);
      assertEquals(ErrorCode.NOT_LEADER, RpcFixture.code(response));
      assertEquals(Optional.of(node.other), Errors.leader(response.getError()));
    }
  }

  @Test
  void shouldRefuseWhatItCannotRead() throws Exception {
    VdfsException unreadable =
        assertThrows(
            VdfsException.class,
            () -> node.handler.handle(RpcFixture.call("ann", new byte[] {-1, -1, -1})));
    assertEquals(ErrorCode.INVALID_ARGUMENT, unreadable.code());
    assertEquals(ErrorCode.UNSUPPORTED, RpcFixture.code(call("ann", MetaRequest.newBuilder())));
  }

  @Test
  void shouldSayOnANodeWithoutMetadataThatItDoesNotLead() throws Exception {
    MetaHandler bare = new MetaHandler(Optional::empty, node.self, node.callers);
    byte[] answer =
        bare.handle(RpcFixture.call("ann", mkdirs().build().toByteArray()))
            .toCompletableFuture()
            .join();
    assertEquals(ErrorCode.NOT_LEADER, RpcFixture.code(MetaResponse.parseFrom(answer)));
  }
}

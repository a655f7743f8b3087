package io.vdfs.it.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MetadataInviteRequest;
import io.vdfs.common.wire.proto.NodeAnswer;
import io.vdfs.common.wire.proto.NodeCall;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import java.util.List;

/** Attacks under the name of another user, a writer or a node. */
final class IdentityAttacks {
  private static final ByteString HOLDER = ByteString.copyFromUtf8("a holder's bytes");

  private IdentityAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack(
            "identity: a superuser passes on another caller",
            "was taken for that caller, by every member of the supergroup",
            IdentityAttacks::passOnACaller),
        new Attack(
            "identity: whoever has the name of the daemons' user does what nodes do",
            "closed, reclaimed and acknowledged whatever it named",
            IdentityAttacks::doWhatNodesDo),
        new Attack(
            "identity: a node without the cluster's key",
            "needed no key, but the name of a superuser",
            IdentityAttacks::callAsNode),
        new Attack(
            "identity: an invitation to a node by a superuser",
            "made a member of the node",
            IdentityAttacks::invite),
        new Attack(
            "identity: a stranger closes a file whose holder it knows",
            "closed it, at any length",
            IdentityAttacks::closeAStrangersFile),
        new Attack(
            "identity: renewals of holders that are none",
            "kept each of them for five minutes, 4 MiB each",
            IdentityAttacks::renewAnything));
  }

  private static void passOnACaller(AttackedCluster cluster) throws Exception {
    CallerProto mallory = CallerProto.newBuilder().setUser(AttackedCluster.MALLORY).build();
    MetaResponse answer =
        cluster.ask(
            AttackedCluster.owner(),
            MetaRequest.newBuilder()
                .setCaller(mallory)
                .setGetStatus(
                    GetStatusQuery.newBuilder().setPath(AttackedCluster.SECRET.toString()))
                .build());
    assertTrue(answer.getStatus().getReadable(), "answered to who asked");
  }

  private static void doWhatNodesDo(AttackedCluster cluster) throws Exception {
    for (MetaRequest.Builder request : ControlPortAttacks.ofNodes()) {
      assertRefused(
          ErrorCode.PERMISSION_DENIED, cluster.ask(AttackedCluster.owner(), request.build()));
    }
  }

  private static void callAsNode(AttackedCluster cluster) throws Exception {
    for (RingNode node : cluster.ring().nodes().values()) {
      NodeAnswer asked = call(cluster, node, NodeCall.getDefaultInstance());
      assertFalse(asked.getChallenge().isEmpty(), "a challenge is anybody's");
      NodeCall.Builder forged =
          NodeCall.newBuilder()
              .setMethod(ControlMethods.META)
              .setCaller(WireIds.encode(node.id()))
              .setSession(WireIds.encode(node.id()))
              .setNumber(1)
              .setChallenge(asked.getChallenge());
      for (int bytes : List.of(0, 1, MacKey.BYTES, MacKey.MAX_BYTES)) {
        NodeAnswer answer =
            call(cluster, node, forged.setProof(ByteString.copyFrom(new byte[bytes])).build());
        assertEquals(
            ErrorCode.PERMISSION_DENIED, WireIds.errorCode(answer.getError()), answer::toString);
      }
    }
  }

  private static NodeAnswer call(AttackedCluster cluster, RingNode node, NodeCall call)
      throws Exception {
    return cluster
        .client(AttackedCluster.owner())
        .call(AttackedCluster.control(node), ControlMethods.NODE, call, NodeAnswer.parser());
  }

  private static void invite(AttackedCluster cluster) throws Exception {
    for (RingNode node : cluster.ring().nodes().values()) {
      MetaResponse answer =
          cluster
              .client(AttackedCluster.owner())
              .call(
                  AttackedCluster.control(node),
                  ControlMethods.METADATA_INVITE,
                  MetadataInviteRequest.newBuilder().setVersion(-1).build(),
                  MetaResponse.parser());
      assertRefused(ErrorCode.UNSUPPORTED, answer);
    }
  }

  private static void closeAStrangersFile(AttackedCluster cluster) throws Exception {
    String path = "/attacked-open";
    String owner = AttackedCluster.owner();
    MetaResponse opened =
        cluster.ask(
            owner,
            MetaRequest.newBuilder()
                .setCreate(CreateOp.newBuilder().setPath(path).setMode(0666).setHolder(HOLDER))
                .build());
    Errors.check(opened);
    OpenFileResult file = opened.getOpenFile();
    FileKeyProto key =
        FileKeyProto.newBuilder()
            .setFileId(file.getFileId())
            .setGeneration(file.getStatus().getGeneration())
            .build();
    int epoch = file.getStatus().getWriteEpoch();
    CompleteOp complete =
        CompleteOp.newBuilder().setFile(key).setHolder(HOLDER).setWriteEpoch(epoch).build();
    ChangePipelineOp change =
        ChangePipelineOp.newBuilder().setFile(key).setHolder(HOLDER).setWriteEpoch(epoch).build();
    for (MetaRequest.Builder request :
        List.of(
            MetaRequest.newBuilder().setComplete(complete),
            MetaRequest.newBuilder().setChangePipeline(change))) {
      assertRefused(ErrorCode.FENCED, cluster.ask(AttackedCluster.MALLORY, request.build()));
    }
    Errors.check(cluster.ask(owner, MetaRequest.newBuilder().setComplete(complete).build()));
    Errors.check(
        cluster.ask(
            owner,
            MetaRequest.newBuilder().setDelete(DeleteOp.newBuilder().setPath(path)).build()));
  }

  private static void renewAnything(AttackedCluster cluster) throws Exception {
    for (int bytes : List.of(0, 1, 15, 17, 200 << 10)) {
      RenewLeaseCall renewal =
          RenewLeaseCall.newBuilder().setHolder(ByteString.copyFrom(new byte[bytes])).build();
      assertRefused(
          ErrorCode.INVALID_ARGUMENT,
          cluster.ask(
              AttackedCluster.MALLORY, MetaRequest.newBuilder().setRenewLease(renewal).build()));
    }
  }

  private static void assertRefused(ErrorCode expected, MetaResponse answer) {
    assertTrue(answer.hasError(), answer::toString);
    assertEquals(expected, WireIds.errorCode(answer.getError()), answer::toString);
  }
}

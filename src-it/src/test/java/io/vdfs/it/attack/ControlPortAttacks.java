package io.vdfs.it.attack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.ListLeasesQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MetadataChangeRequest;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.RaiseLevelOp;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.common.wire.proto.SkipSequencesOp;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;

/** Attacks of an ordinary user, or of a peer that names no user, on the port of control calls. */
final class ControlPortAttacks {
  private static final int LIMIT_MILLIS = 20_000;

  /** The start of Hadoop's protocol: "hrpc", version, service class, no login. */
  private static final byte[] GREETING = {'h', 'r', 'p', 'c', 9, 0, 0};

  private static final int ARBITRARY_PER_KIND = 12;

  private static final ByteString LONG_HOLDER = ByteString.copyFrom(new byte[200 << 10]);

  private ControlPortAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack(
            "control port: bytes that are no call",
            "cut off already",
            ControlPortAttacks::sendNoCalls),
        new Attack(
            "control port: the length of a call of 4 MiB, and silence",
            "4 MiB of heap before anybody had logged in; 260 peers ended a default daemon",
            ControlPortAttacks::announceLongCall),
        new Attack(
            "control port: lease renewals that name holders of any length",
            "each was kept for five minutes; 256 of 4 MiB ended the leader",
            ControlPortAttacks::renewForLongHolders),
        new Attack(
            "control port: writers that name holders of any length",
            "the leader kept the holder before it refused the request",
            ControlPortAttacks::writeAsLongHolders),
        new Attack(
            "control port: a method that nobody knows",
            "refused already",
            ControlPortAttacks::callUnknownMethod),
        new Attack(
            "control port: a caller who calls itself a superuser in the request",
            "void already",
            ControlPortAttacks::claimToBeASuperuser),
        new Attack(
            "control port: what only daemons ask for",
            "refused already",
            ControlPortAttacks::askWhatDaemonsAsk),
        new Attack(
            "control port: changes of the metadata's members",
            "refused already",
            ControlPortAttacks::changeMembers),
        new Attack(
            "control port: requests without an operation, at every depth",
            "refused already",
            ControlPortAttacks::leaveOperationsUnset),
        new Attack(
            "control port: anything in the fields of every operation",
            "answered already",
            ControlPortAttacks::askAnything),
        new Attack(
            "control port: anything in the fields of a task's question",
            "answered already",
            ControlPortAttacks::drawAnything));
  }

  private static void sendNoCalls(AttackedCluster cluster) throws Exception {
    for (byte[] attack :
        List.of(
            "GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8),
            concat(GREETING, 0x7fff_ffff),
            concat(GREETING, -1),
            new byte[64])) {
      awaitCutOff(cluster.node(), attack);
    }
  }

  private static void announceLongCall(AttackedCluster cluster) throws Exception {
    awaitCutOff(cluster.node(), concat(GREETING, 4 << 20));
  }

  private static byte[] concat(byte[] greeting, int length) {
    return ByteBuffer.allocate(greeting.length + Integer.BYTES)
        .put(greeting)
        .putInt(length)
        .array();
  }

  /** Sends it and waits for the end of the connection, whatever is answered before. */
  private static void awaitCutOff(RingNode node, byte[] attack) throws IOException {
    try (Socket socket = new Socket(node.host(), node.controlPort())) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.getOutputStream().write(attack);
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        in.skipNBytes(in.available());
      }
    } catch (SocketException e) {
      assertTrue(e.getMessage().contains("reset"), e.toString());
    }
  }

  private static void renewForLongHolders(AttackedCluster cluster) throws Exception {
    for (int bytes : new int[] {0, 15, 17, LONG_HOLDER.size()}) {
      RenewLeaseCall renewal =
          RenewLeaseCall.newBuilder().setHolder(ByteString.copyFrom(new byte[bytes])).build();
      assertRefused(
          ErrorCode.INVALID_ARGUMENT, cluster, MetaRequest.newBuilder().setRenewLease(renewal));
    }
  }

  private static void writeAsLongHolders(AttackedCluster cluster) throws Exception {
    for (MetaRequest.Builder request :
        List.of(
            MetaRequest.newBuilder()
                .setCreate(CreateOp.newBuilder().setPath("/f").setHolder(LONG_HOLDER)),
            MetaRequest.newBuilder()
                .setAppend(AppendOp.newBuilder().setPath("/f").setHolder(LONG_HOLDER)),
            MetaRequest.newBuilder()
                .setChangePipeline(ChangePipelineOp.newBuilder().setHolder(LONG_HOLDER)),
            MetaRequest.newBuilder()
                .setRecordProgress(RecordProgressOp.newBuilder().setHolder(LONG_HOLDER)))) {
      assertRefused(ErrorCode.INVALID_ARGUMENT, cluster, request);
    }
  }

  private static void callUnknownMethod(AttackedCluster cluster) throws Exception {
    for (String method : List.of("", "meta ", "META", "x".repeat(10_000))) {
      byte[] answer =
          cluster
              .client(AttackedCluster.MALLORY)
              .call(AttackedCluster.control(cluster.node()), method, new byte[0]);
      assertEquals(
          ErrorCode.UNSUPPORTED,
          WireIds.errorCode(MetaResponse.parseFrom(answer).getError()),
          method);
    }
  }

  private static void claimToBeASuperuser(AttackedCluster cluster) throws Exception {
    CallerProto claimed =
        CallerProto.newBuilder().setUser(AttackedCluster.owner()).setSuperuser(true).build();
    assertRefused(
        ErrorCode.PERMISSION_DENIED,
        cluster,
        MetaRequest.newBuilder()
            .setCaller(claimed)
            .setDelete(DeleteOp.newBuilder().setPath(AttackedCluster.SECRET.toString())));
  }

  /** Requests that only nodes make, all of them empty. */
  static List<MetaRequest.Builder> ofNodes() {
    return List.of(
        MetaRequest.newBuilder().setBeginRecovery(BeginRecoveryOp.getDefaultInstance()),
        MetaRequest.newBuilder().setFinishRecovery(FinishRecoveryOp.getDefaultInstance()),
        MetaRequest.newBuilder().setReclaim(ReclaimOp.getDefaultInstance()),
        MetaRequest.newBuilder().setAckDeletions(AckDeletionsOp.getDefaultInstance()),
        MetaRequest.newBuilder().setRecordCluster(RecordClusterOp.getDefaultInstance()),
        MetaRequest.newBuilder().setPollDeletions(PollDeletionsQuery.getDefaultInstance()),
        MetaRequest.newBuilder().setListLeases(ListLeasesQuery.getDefaultInstance()));
  }

  private static void askWhatDaemonsAsk(AttackedCluster cluster) throws Exception {
    for (MetaRequest.Builder request : ofNodes()) {
      assertRefused(ErrorCode.PERMISSION_DENIED, cluster, request);
    }
    for (MetaRequest.Builder request :
        List.of(
            MetaRequest.newBuilder().setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(-1)),
            MetaRequest.newBuilder()
                .setSkipSequences(SkipSequencesOp.newBuilder().setInodes(1L << 50)))) {
      assertRefused(ErrorCode.UNSUPPORTED, cluster, request);
    }
  }

  private static void changeMembers(AttackedCluster cluster) throws Exception {
    for (RingNode node : cluster.ring().nodes().values()) {
      for (byte[] id : List.of(new byte[0], new byte[16], new byte[17])) {
        ByteString bytes = ByteString.copyFrom(id);
        assertDenied(
            cluster,
            node,
            ControlMethods.METADATA_CHANGE,
            MetadataChangeRequest.newBuilder().setRemove(bytes).build());
      }
    }
  }

  private static void assertDenied(
      AttackedCluster cluster, RingNode node, String method, Message request) throws Exception {
    MetaResponse answer =
        cluster
            .client(AttackedCluster.MALLORY)
            .call(AttackedCluster.control(node), method, request, MetaResponse.parser());
    assertEquals(
        ErrorCode.PERMISSION_DENIED, WireIds.errorCode(answer.getError()), answer::toString);
  }

  private static void leaveOperationsUnset(AttackedCluster cluster) throws Exception {
    assertRefused(ErrorCode.UNSUPPORTED, cluster, MetaRequest.newBuilder());
    for (FieldDescriptor kind : kinds(MetaRequest.getDescriptor())) {
      Message.Builder request = MetaRequest.newBuilder();
      MetaResponse answer =
          cluster.ask(
              AttackedCluster.MALLORY,
              (MetaRequest)
                  request.setField(kind, request.newBuilderForField(kind).build()).build());
      assertNotDefect(answer, kind.getName());
    }
    for (FieldDescriptor kind : kinds(LedgerRequest.getDescriptor())) {
      Message.Builder request = LedgerRequest.newBuilder();
      LedgerRequest ledger =
          (LedgerRequest) request.setField(kind, request.newBuilderForField(kind).build()).build();
      MetaResponse answer =
          cluster.ask(AttackedCluster.MALLORY, MetaRequest.newBuilder().setLedger(ledger).build());
      assertTrue(answer.hasError(), kind.getName());
      assertNotEquals(ErrorCode.INTERNAL, WireIds.errorCode(answer.getError()), kind.getName());
    }
  }

  private static List<FieldDescriptor> kinds(Descriptor message) {
    return message.getFields().stream()
        .filter(field -> field.getRealContainingOneof() != null)
        .toList();
  }

  private static void askAnything(AttackedCluster cluster) throws Exception {
    ArbitraryMessages messages = messages();
    for (FieldDescriptor kind : kinds(MetaRequest.getDescriptor())) {
      for (int n = 0; n < ARBITRARY_PER_KIND; n++) {
        MetaRequest request = (MetaRequest) messages.with(MetaRequest.newBuilder(), kind);
        MetaResponse answer = cluster.ask(AttackedCluster.MALLORY, request);
        assertNotDefect(answer, request.toString());
      }
    }
  }

  private static void drawAnything(AttackedCluster cluster) throws Exception {
    ArbitraryMessages messages = messages();
    for (int n = 0; n < 4 * ARBITRARY_PER_KIND; n++) {
      Message request =
          messages.with(
              LedgerRequest.newBuilder(), LedgerRequest.getDescriptor().findFieldByName("next"));
      MetaResponse answer =
          cluster
              .client(AttackedCluster.MALLORY)
              .call(
                  AttackedCluster.control(cluster.node()),
                  ControlMethods.STREAM_NEXT,
                  request,
                  MetaResponse.parser());
      assertTrue(answer.hasError(), request::toString);
      assertNotEquals(ErrorCode.INTERNAL, WireIds.errorCode(answer.getError()), answer::toString);
    }
  }

  private static ArbitraryMessages messages() {
    return new ArbitraryMessages(
        7,
        List.of(
            "",
            "/",
            "/attacked/secret",
            "/attacked/large/x",
            "//",
            "/..",
            "\0",
            "user.a",
            "root",
            "/" + "z".repeat(300)));
  }

  private static void assertNotDefect(MetaResponse answer, String request) {
    assertTrue(
        !answer.hasError() || WireIds.errorCode(answer.getError()) != ErrorCode.INTERNAL,
        () -> request + " was answered with " + answer);
  }

  private static void assertRefused(
      ErrorCode expected, AttackedCluster cluster, MetaRequest.Builder request) throws Exception {
    MetaResponse answer = cluster.ask(AttackedCluster.MALLORY, request.build());
    assertTrue(answer.hasError(), () -> "not refused: " + request.getOpCase());
    assertEquals(expected, WireIds.errorCode(answer.getError()), answer::toString);
  }
}

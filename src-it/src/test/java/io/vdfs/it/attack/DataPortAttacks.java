package io.vdfs.it.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LocalRequest;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentRequest;
import io.vdfs.common.wire.proto.TruncateGroup;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.EOFException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Attacks of a peer without a user name on the port of file data. */
final class DataPortAttacks {
  private DataPortAttacks() {}

  static List<Attack> all() {
    return List.of(
        new Attack(
            "data port: bytes that are no frame", "cut off already", DataPortAttacks::sendNoFrames),
        new Attack(
            "data port: a payload with a request that has none",
            "a megabyte of the node's memory was held for as long as nothing more came",
            DataPortAttacks::announcePayloadOfARequest),
        new Attack(
            "data port: a packet of no pipeline",
            "a megabyte of the node's memory each, so that 1,000 silent peers ended a daemon",
            DataPortAttacks::announcePacketOfNoPipeline),
        new Attack(
            "data port: a question of a later release",
            "refused already",
            DataPortAttacks::askWhatNobodyKnows),
        new Attack(
            "data port: requests with nothing in them, and without each of their fields",
            "refused already",
            DataPortAttacks::leaveFieldsUnset),
        new Attack(
            "data port: write over a closed file",
            "its bytes were replaced unseen, with checksums that fit",
            cluster -> write(cluster, cluster.file(AttackedCluster.LARGE), 1_000)),
        new Attack(
            "data port: write a file that nobody created",
            "made one, which nothing ever removed",
            cluster -> write(cluster, new FileKey(1L << 40, 1), 1)),
        new Attack(
            "data port: a write epoch that can never be passed",
            "the group could not be written any more",
            cluster -> write(cluster, cluster.file(AttackedCluster.LARGE), -1)),
        new Attack(
            "data port: fence a group for good",
            "the group could not be written any more",
            cluster -> ask(cluster, question -> question.setFenceEpoch(-1))),
        new Attack(
            "data port: cut a closed file",
            "its bytes were gone",
            cluster ->
                ask(
                    cluster,
                    question ->
                        question.setTruncate(TruncateGroup.newBuilder().setWriteEpoch(1_000)))),
        new Attack(
            "data port: put other bytes in place of a closed file's",
            "copied them from an address that the peer chose",
            cluster ->
                ask(
                    cluster,
                    question ->
                        question.setCopy(
                            CopyGroup.newBuilder()
                                .setSource(WireIds.encode(cluster.node().id()))
                                .setLength(1)
                                .setWriteEpoch(1_000)))),
        new Attack(
            "data port: a nonce without the key",
            "there was none to ask for",
            DataPortAttacks::guessProofs));
  }

  /** All nodes refuse a writer without a ticket, and one with a forged ticket. */
  private static void write(AttackedCluster cluster, FileKey file, int epoch) throws Exception {
    WriteTicketProto[] tickets = {
      WriteTicketProto.getDefaultInstance(),
      WriteTicketProto.newBuilder().setProof(ByteString.copyFrom(new byte[32])).build(),
      new WriteTickets(ClusterKey.generate(new SecureRandom()), cluster.clusterId())
          .issue(file, epoch, 0),
    };
    for (RingNode node : cluster.ring().nodes().values()) {
      long before = cluster.counter(node, "transfer", "tickets_refused");
      for (WriteTicketProto ticket : tickets) {
        WriteOpen open =
            WriteOpen.newBuilder()
                .setFile(WireIds.encode(file))
                .setWriteEpoch(epoch)
                .setClusterId(WireIds.encode(cluster.clusterId()))
                .setNode(WireIds.encode(node.id()))
                .setTicket(ticket)
                .build();
        try (DataPeer peer = new DataPeer(node)) {
          peer.send(FrameType.WRITE_OPEN, 1, open);
          WriteAck answer = WriteAck.parseFrom(peer.receive().header());
          assertEquals(ErrorCode.STALE_TICKET.name(), answer.getError().getCode());
        }
      }
      assertEquals(before + tickets.length, cluster.counter(node, "transfer", "tickets_refused"));
    }
  }

  /** All nodes refuse requests that only nodes may make. */
  private static void ask(AttackedCluster cluster, UnaryOperator<ReplicaRequest.Builder> operation)
      throws Exception {
    for (RingNode node : cluster.ring().nodes().values()) {
      ReplicaRequest question =
          operation
              .apply(cluster.question(node, cluster.file(AttackedCluster.LARGE)))
              .setProof(ByteString.copyFrom(new byte[32]))
              .build();
      try (DataPeer peer = new DataPeer(node)) {
        peer.send(FrameType.REPLICA_REQUEST, 1, question);
        requireDenied(peer);
      }
    }
  }

  private static void requireDenied(DataPeer peer) throws Exception {
    ReplicaResponse answer = ReplicaResponse.parseFrom(peer.receive().header());
    assertEquals(ErrorCode.PERMISSION_DENIED.name(), answer.getError().getCode());
  }

  private static void guessProofs(AttackedCluster cluster) throws Exception {
    RingNode node = cluster.node();
    NodeProofs others = new NodeProofs(ClusterKey.generate(new SecureRandom()));
    ReplicaRequest fence =
        cluster.question(node, cluster.file(AttackedCluster.LARGE)).setFenceEpoch(-1).build();
    long before = cluster.counter(node, "transfer", "proofs_refused");
    try (DataPeer peer = new DataPeer(node)) {
      peer.send(FrameType.REPLICA_REQUEST, 1, fence.toBuilder().setChallenge(true).build());
      ByteString nonce = ReplicaResponse.parseFrom(peer.receive().header()).getNonce();
      assertEquals(NodeProofs.NONCE_BYTES, nonce.size());
      peer.send(FrameType.REPLICA_REQUEST, 1, others.prove(fence, nonce));
      requireDenied(peer);
    }
    assertEquals(before + 1, cluster.counter(node, "transfer", "proofs_refused"));
  }

  private static void sendNoFrames(AttackedCluster cluster) throws Exception {
    byte[][] attacks = {
      {-1, -1, -1, -1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 1, 99, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, 12, 1, 1, -1, -1, 0, 0, 0, 1, 0, 0, 0, 0},
      "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
    };
    RingNode node = cluster.node();
    long before = cluster.counter(node, "transfer", "closed_malformed");
    for (byte[] attack : attacks) {
      try (DataPeer peer = new DataPeer(node)) {
        peer.send(attack);
        peer.awaitCutOff();
      }
    }
    assertEquals(before + attacks.length, cluster.counter(node, "transfer", "closed_malformed"));
  }

  private static void announcePayloadOfARequest(AttackedCluster cluster) throws Exception {
    ReadRequest read = read(cluster, cluster.node()).build();
    announce(cluster, DataPeer.start(FrameType.READ_REQUEST, 1, read, FrameDescriptor.MAX_PAYLOAD));
  }

  private static void announcePacketOfNoPipeline(AttackedCluster cluster) throws Exception {
    WritePacket packet = WritePacket.getDefaultInstance();
    announce(
        cluster, DataPeer.start(FrameType.WRITE_PACKET, 1, packet, FrameDescriptor.MAX_PAYLOAD));
  }

  private static void announce(AttackedCluster cluster, byte[] start) throws Exception {
    try (DataPeer peer = new DataPeer(cluster.node())) {
      peer.send(start);
      peer.awaitCutOff();
    }
  }

  private static void askWhatNobodyKnows(AttackedCluster cluster) throws Exception {
    RingNode node = cluster.node();
    ReplicaRequest question = cluster.question(node, cluster.file(AttackedCluster.LARGE)).build();
    try (DataPeer peer = new DataPeer(node)) {
      peer.send(FrameType.REPLICA_REQUEST, 1, question);
      ReplicaResponse answer = ReplicaResponse.parseFrom(peer.receive().header());
      assertEquals(ErrorCode.UNSUPPORTED.name(), answer.getError().getCode());
    }
  }

  /**
   * Each is answered by an error or the end of the connection, or rightly if it asks for little.
   */
  private static void leaveFieldsUnset(AttackedCluster cluster) throws Exception {
    RingNode node = cluster.node();
    Map<FrameType, Message> requests =
        Map.of(
            FrameType.READ_REQUEST, read(cluster, node).build(),
            FrameType.LOCAL_REQUEST,
                LocalRequest.newBuilder()
                    .mergeFrom(read(cluster, node).build().toByteString())
                    .build(),
            FrameType.SEGMENT_REQUEST,
                SegmentRequest.newBuilder().setFile(file(cluster)).setLength(1).build(),
            FrameType.SEGMENT_ATTACH,
                SegmentAttach.newBuilder()
                    .setClusterId(WireIds.encode(cluster.clusterId()))
                    .setNode(WireIds.encode(node.id()))
                    .build(),
            FrameType.WRITE_OPEN,
                WriteOpen.newBuilder()
                    .setFile(file(cluster))
                    .setClusterId(WireIds.encode(cluster.clusterId()))
                    .setNode(WireIds.encode(node.id()))
                    .build(),
            FrameType.REPLICA_REQUEST,
                cluster
                    .question(node, cluster.file(AttackedCluster.LARGE))
                    .setVisibleLength(true)
                    .build());
    int answered = 0;
    for (Map.Entry<FrameType, Message> request : requests.entrySet()) {
      for (Message lacking : lacking(request.getValue())) {
        answered += isAnswered(node, request.getKey(), lacking) ? 1 : 0;
      }
    }
    assertTrue(answered > 0, "something was answered and not only cut off");
  }

  /** The empty message, and the message without each field that is set, at every depth. */
  static List<Message> lacking(Message message) {
    List<Message> found = new ArrayList<>();
    found.add(message.getDefaultInstanceForType());
    for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
      found.add(message.toBuilder().clearField(field.getKey()).build());
      if (field.getValue() instanceof Message inner) {
        for (Message part : lacking(inner)) {
          found.add(message.toBuilder().setField(field.getKey(), part).build());
        }
      }
    }
    return found;
  }

  private static boolean isAnswered(RingNode node, FrameType type, Message request)
      throws Exception {
    try (DataPeer peer = new DataPeer(node)) {
      peer.send(type, 1, request);
      peer.receive();
      return true;
    } catch (EOFException | SocketException e) {
      return false;
    }
  }

  private static ReadRequest.Builder read(AttackedCluster cluster, RingNode node) {
    return ReadRequest.newBuilder()
        .setFile(file(cluster))
        .setLength(1)
        .setClusterId(WireIds.encode(cluster.clusterId()))
        .setNode(WireIds.encode(node.id()));
  }

  private static FileKeyProto file(AttackedCluster cluster) {
    return WireIds.encode(cluster.file(AttackedCluster.LARGE));
  }
}

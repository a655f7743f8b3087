package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.ControlServer;
import io.vdfs.common.rpc.ControlServerSettings;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsResult;
import io.vdfs.common.wire.proto.NodeAnswer;
import io.vdfs.common.wire.proto.NodeCall;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tells nodes from callers that only say that they are. */
@Timeout(60)
class NodeCallTest {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final MetaResponse DONE =
      MetaResponse.newBuilder().setMkdirs(MkdirsResult.newBuilder().setCreated(true)).build();

  private final ClusterKey secret = ClusterKey.generate(RANDOM);
  private final MacKey key = secret.derive(KeyPurposes.NODE);
  private final NodeId self = NodeId.random();
  private final NodeId caller = NodeId.random();
  private final List<byte[]> done = new ArrayList<>();
  private final ControlHandler work =
      call -> {
        done.add(call.body());
        return CompletableFuture.completedFuture(call.body());
      };
  private NodeCallHandler handler = handler(key);

  private NodeCallHandler handler(MacKey own) {
    return new NodeCallHandler(self, own, Map.of("work", work));
  }

  private NodeAnswer ask(NodeCall call) throws Exception {
    return NodeAnswer.parseFrom(
        handler.handle(RpcFixture.call("hdfs", call.toByteArray())).toCompletableFuture().join());
  }

  private NodeCall.Builder call(long number) throws Exception {
    return NodeCall.newBuilder()
        .setMethod("work")
        .setBody(ByteString.copyFromUtf8("body"))
        .setCaller(WireIds.encode(caller))
        .setSession(WireIds.encode(new UUID(1, 2)))
        .setNumber(number)
        .setChallenge(ask(NodeCall.getDefaultInstance()).getChallenge());
  }

  private void assertDenied(NodeCall call) {
    VdfsException denied = assertThrows(VdfsException.class, () -> ask(call));
    assertEquals(ErrorCode.PERMISSION_DENIED, denied.code(), denied.getMessage());
    assertEquals(List.of(), done);
  }

  @Test
  void shouldTakeTheCallOfANode() throws Exception {
    NodeAnswer answer = ask(NodeProof.sign(call(1), self, key));
    assertEquals("body", answer.getBody().toStringUtf8());
    assertEquals(1, done.size());
  }

  @Test
  void shouldTakeNoProcessForANodeWithoutTheKey() throws Exception {
    assertDenied(call(1).build());
    assertDenied(call(1).setProof(ByteString.copyFrom(new byte[MacKey.BYTES])).build());
    MacKey foreign = ClusterKey.generate(RANDOM).derive(KeyPurposes.NODE);
    assertDenied(NodeProof.sign(call(1), self, foreign));
    assertDenied(NodeProof.sign(call(1), self, secret.derive(KeyPurposes.TICKET)));
  }

  @Test
  void shouldTakeNoProofOfAnythingElse() throws Exception {
    NodeCall good = NodeProof.sign(call(1), self, key);
    assertDenied(NodeProof.sign(call(1), NodeId.random(), key));
    assertDenied(good.toBuilder().setNumber(2).build());
    assertDenied(good.toBuilder().setMethod("other").build());
    assertDenied(good.toBuilder().setBody(ByteString.copyFromUtf8("bodY")).build());
    assertDenied(good.toBuilder().setCaller(WireIds.encode(self)).build());
    assertDenied(good.toBuilder().setSession(WireIds.encode(self)).build());
  }

  @Test
  void shouldCarryOutWhatWasListenedToOnceOnly() throws Exception {
    NodeCall heard = NodeProof.sign(call(5), self, key);
    assertTrue(ask(heard).getChallenge().isEmpty());
    assertFalse(ask(heard).getChallenge().isEmpty());
    assertEquals(1, done.size());
    assertTrue(ask(NodeProof.sign(call(4), self, key)).getChallenge().isEmpty());
    assertEquals(2, done.size());

    handler = handler(key);
    NodeAnswer afterRestart = ask(heard);
    assertNotEquals(heard.getChallenge(), afterRestart.getChallenge());
    assertEquals(2, done.size());
  }

  @Test
  void shouldRefuseWhatIsNoCall() throws Exception {
    for (NodeCall bad :
        List.of(
            call(1).setCaller(ByteString.EMPTY).build(),
            call(1).setSession(ByteString.copyFrom(new byte[1 << 20])).build(),
            call(1).setChallenge(ByteString.copyFrom(new byte[17])).build(),
            call(1).setProof(ByteString.copyFrom(new byte[MacKey.MAX_BYTES + 1])).build())) {
      VdfsException refused = assertThrows(VdfsException.class, () -> ask(bad));
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code(), refused.getMessage());
    }
    NodeCall unknown = NodeProof.sign(call(1).setMethod("none"), self, key);
    assertEquals(
        ErrorCode.UNSUPPORTED, assertThrows(VdfsException.class, () -> ask(unknown)).code());
    VdfsException unreadable =
        assertThrows(
            VdfsException.class,
            () -> handler.handle(RpcFixture.call("hdfs", new byte[] {-1, -1, -1})));
    assertEquals(ErrorCode.INVALID_ARGUMENT, unreadable.code());
  }

  @Test
  void shouldGetOnWhileTheKeyIsRotated() throws Exception {
    MacKey both = secret.roll(RANDOM).derive(KeyPurposes.NODE);
    handler = handler(both);
    assertTrue(ask(NodeProof.sign(call(1), self, key)).getChallenge().isEmpty());
    handler = handler(key);
    assertTrue(ask(NodeProof.sign(call(1), self, both)).getChallenge().isEmpty());
    assertEquals(2, done.size());
  }

  @Test
  void shouldFindTheWayThroughARestart() throws Exception {
    try (ControlServer server = serve();
        ControlClient control =
            new ControlClient(
                new Configuration(false),
                UserGroupInformation.createRemoteUser("whoever"),
                ControlClientSettings.DEFAULT)) {
      NodeClient client = new NodeClient(control, caller, key);
      assertEquals(DONE, work(client, server.address()));
      assertEquals(DONE, work(client, server.address()));
      handler = handler(key);
      assertEquals(DONE, work(client, server.address()));
      assertEquals(3, done.size());

      MacKey foreign = ClusterKey.generate(RANDOM).derive(KeyPurposes.NODE);
      NodeClient stranger = new NodeClient(control, caller, foreign);
      VdfsException denied =
          assertThrows(VdfsException.class, () -> work(stranger, server.address()));
      assertEquals(ErrorCode.PERMISSION_DENIED, denied.code(), denied.getMessage());
      assertEquals(3, done.size());
    }
  }

  private static ByteString challengeOf(byte[] call) {
    try {
      return NodeCall.parseFrom(call).getChallenge();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private ControlServer serve() throws VdfsException {
    return ControlServer.start(
        new Configuration(false),
        ControlServerSettings.of("127.0.0.1", 0, "vdfs.control.port"),
        Map.of(ControlMethods.NODE, call -> handler.handle(call)));
  }

  private MetaResponse work(NodeClient client, InetSocketAddress address) throws VdfsException {
    return client.call(self, address, "work", DONE, MetaResponse.parser());
  }

  /** Another user of a machine may listen at the port of a node that is down. */
  @Test
  void shouldBelieveNoAnswerOfAProcessThatIsNoNode() throws Exception {
    List<NodeAnswer> lies =
        List.of(
            NodeAnswer.newBuilder().setBody(DONE.toByteString()).build(),
            NodeAnswer.newBuilder()
                .setBody(DONE.toByteString())
                .setProof(ByteString.copyFrom(new byte[MacKey.BYTES]))
                .build());
    for (NodeAnswer lie : lies) {
      ControlHandler impostor =
          call ->
              CompletableFuture.completedFuture(
                  challengeOf(call.body()).isEmpty()
                      ? NodeAnswer.newBuilder()
                          .setChallenge(WireIds.encode(self))
                          .build()
                          .toByteArray()
                      : lie.toByteArray());
      try (ControlServer server =
              ControlServer.start(
                  new Configuration(false),
                  ControlServerSettings.of("127.0.0.1", 0, "vdfs.control.port"),
                  Map.of(ControlMethods.NODE, impostor));
          ControlClient control =
              new ControlClient(
                  new Configuration(false),
                  UserGroupInformation.createRemoteUser("whoever"),
                  ControlClientSettings.DEFAULT)) {
        VdfsException refused =
            assertThrows(
                VdfsException.class,
                () -> work(new NodeClient(control, caller, key), server.address()));
        assertEquals(ErrorCode.UNAVAILABLE, refused.code(), refused.getMessage());
        assertTrue(refused.getMessage().contains("no node of this cluster"), refused::getMessage);
      }
    }
  }
}

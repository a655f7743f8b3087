package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.google.common.primitives.Bytes;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeAnswer;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.datanode.fuzz.FuzzContract;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.stream.StreamManagerCounter;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Bodies of control calls of any caller, from where they come in through the leader's services to
 * the state of the names: an answer without a defect, and none that is missing.
 */
class ControlCallsFuzzTest extends FuzzContract {
  private static final MacKey KEY =
      ClusterKey.generate(new SecureRandom()).derive(KeyPurposes.NODE);
  private static final int OF_NODES = 2;
  private static final int CALLS_PER_NODE = 200;
  private static final List<String> USERS = List.of("hdfs", "root", "alice");
  private static final ControlClient CLIENT =
      new ControlClient(
          new Configuration(false),
          UserGroupInformation.createRemoteUser("hdfs"),
          ControlClientSettings.DEFAULT);

  private static final MetadataAddresses NOWHERE =
      new MetadataAddresses() {
        @Override
        public List<NodeId> members() {
          return List.of();
        }

        @Override
        public Optional<InetSocketAddress> controlAddress(NodeId asked) {
          return Optional.empty();
        }
      };

  private RpcFixture node;
  private List<ControlHandler> handlers = List.of();
  private LeaderGateway gateway;
  private int calls;

  @Override
  protected List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (FieldDescriptor kind : MetaRequest.getDescriptor().getOneofs().get(0).getFields()) {
      Message.Builder request = MetaRequest.newBuilder();
      seeds.add(
          call(0, 2, request.setField(kind, filled(request.newBuilderForField(kind))).build()));
    }
    for (FieldDescriptor kind : LedgerRequest.getDescriptor().getOneofs().get(0).getFields()) {
      Message.Builder ledger = LedgerRequest.newBuilder();
      ledger.setField(kind, filled(ledger.newBuilderForField(kind)));
      seeds.add(
          call(0, 2, MetaRequest.newBuilder().setLedger((LedgerRequest) ledger.build()).build()));
    }
    seeds.add(
        call(
            0,
            2,
            MetaRequest.newBuilder()
                .setCreate(CreateOp.newBuilder().setPath("/a/f").setHolder(MetadataHarness.id(1)))
                .build()));
    seeds.add(
        call(
            0,
            2,
            MetaRequest.newBuilder()
                .setRenewLease(RenewLeaseCall.newBuilder().setHolder(MetadataHarness.id(1)))
                .build()));
    return seeds;
  }

  /** With something in each field. */
  private static Message filled(Message.Builder message) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (field.getRealContainingOneof() == null && !field.isRepeated()) {
        message.setField(field, value(message, field));
      }
    }
    return message.build();
  }

  private static Object value(Message.Builder message, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT -> 1;
      case LONG -> 1L;
      case FLOAT -> 1f;
      case DOUBLE -> 1d;
      case BOOLEAN -> true;
      case STRING -> "/a";
      case BYTE_STRING -> ByteString.copyFrom(new byte[16]);
      case ENUM -> field.getEnumType().getValues().get(0);
      case MESSAGE -> filled(message.newBuilderForField(field));
    };
  }

  private static byte[] call(int method, int user, Message body) {
    return Bytes.concat(new byte[] {(byte) method, (byte) user}, body.toByteArray());
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    if (calls++ % CALLS_PER_NODE == 0) {
      begin();
    }
    int method = (input.length > 0 ? Byte.toUnsignedInt(input[0]) : 0) % handlers.size();
    int user = input.length > 1 ? Byte.toUnsignedInt(input[1]) : 0;
    byte[] body = Arrays.copyOfRange(input, Math.min(2, input.length), input.length);
    byte[] answer =
        handlers
            .get(method)
            .handle(RpcFixture.call(USERS.get(user % USERS.size()), body))
            .toCompletableFuture()
            .get(5, TimeUnit.SECONDS);
    if (method == OF_NODES) {
      assertNotNull(NodeAnswer.parseFrom(answer));
      return;
    }
    assertNotEquals(ErrorCode.INTERNAL.name(), MetaResponse.parseFrom(answer).getError().getCode());
  }

  /** A node that leads, with a state of its own. */
  private void begin() {
    if (gateway != null) {
      gateway.close();
    }
    node = new RpcFixture();
    MetadataHarness meta = new MetadataHarness();
    meta.mkdir("/a/b");
    meta.file("/a/f", 10_000);
    node.member.applying = meta.state()::apply;
    node.member.answering = meta.state()::query;
    node.services.attach(node.dispatcher);
    node.services.onLeader(1);
    gateway =
        new LeaderGateway(
            () -> Optional.of(node.dispatcher),
            node.self,
            NOWHERE,
            new NodeClient(CLIENT, node.self, KEY),
            node.callers,
            node.callIds,
            Duration.ofSeconds(2));
    StreamNextHandler next =
        new StreamNextHandler(
            gateway,
            node.self,
            node.callers,
            Optional.empty(),
            (file, block) -> {},
            new Counters<>(StreamManagerCounter.class));
    NodeCallHandler ofNodes =
        new NodeCallHandler(node.self, KEY, Map.of(ControlMethods.META, node.handler.ofNodes()));
    handlers = List.of(node.handler, next, ofNodes, node.handler.ofNodes());
  }
}

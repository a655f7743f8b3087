package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.NodeAnswer;
import io.vdfs.common.wire.proto.NodeCall;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls other nodes as a node, which it proves with the cluster key; see {@link NodeCallHandler}.
 * Thread-safe.
 */
public final class NodeClient {
  /** The first one may have no challenge, or one of an earlier process. */
  private static final int MOST_ATTEMPTS = 3;

  private final ControlClient client;
  private final NodeId self;
  private final MacKey key;
  private final ByteString session = WireIds.encode(UUID.randomUUID());
  private final AtomicLong numbers = new AtomicLong();
  private final Map<NodeId, ByteString> challenges = new ConcurrentHashMap<>();

  /**
   * @param client of the daemon's own user; not closed
   * @param key of the cluster, for nodes
   */
  public NodeClient(ControlClient client, NodeId self, MacKey key) {
    this.client = client;
    this.self = self;
    this.key = key;
  }

  /**
   * Calls {@code method} at a node and waits for the answer. An error inside the answer is the
   * caller's to find.
   *
   * @param address of the node's control port
   * @throws VdfsException PERMISSION_DENIED if it does not take this process for a node;
   *     UNAVAILABLE also if the one that answers is not that node; else as {@link
   *     ControlClient#call}
   */
  public <T extends MessageLite> T call(
      NodeId node, InetSocketAddress address, String method, MessageLite request, Parser<T> parser)
      throws VdfsException {
    ByteString body = request.toByteString();
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      NodeCall call = signed(node, method, body);
      NodeAnswer answer = client.call(address, ControlMethods.NODE, call, NodeAnswer.parser());
      if (answer.hasError()) {
        throw WireIds.exception(answer.getError());
      }
      if (answer.getChallenge().isEmpty()) {
        requireProof(node, address, call, answer);
        return parse(node, method, answer.getBody(), parser);
      }
      challenges.put(node, answer.getChallenge());
    }
    throw new VdfsException(
        ErrorCode.UNAVAILABLE,
        "node does not take its own challenge: node=%s, address=%s, method=%s"
            .formatted(node, address, method));
  }

  private void requireProof(
      NodeId node, InetSocketAddress address, NodeCall call, NodeAnswer answer)
      throws VdfsException {
    if (!NodeProof.isAnswer(answer.getProof(), call, answer.getBody(), key)) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "no node of this cluster answers where one was: node=%s, address=%s"
              .formatted(node, address));
    }
  }

  /** Without a challenge the call only asks for one, and reveals nothing of its body. */
  private NodeCall signed(NodeId node, String method, ByteString body) {
    ByteString challenge = challenges.getOrDefault(node, ByteString.EMPTY);
    if (challenge.isEmpty()) {
      return NodeCall.getDefaultInstance();
    }
    return NodeProof.sign(
        NodeCall.newBuilder()
            .setMethod(method)
            .setBody(body)
            .setCaller(WireIds.encode(self))
            .setSession(session)
            .setNumber(numbers.incrementAndGet())
            .setChallenge(challenge),
        node,
        key);
  }

  private static <T extends MessageLite> T parse(
      NodeId node, String method, ByteString body, Parser<T> parser) throws VdfsException {
    try {
      return parser.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "unreadable answer: node=%s, method=%s, bytes=%d".formatted(node, method, body.size()),
          e);
    }
  }
}

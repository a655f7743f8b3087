package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.NodeAnswer;
import io.vdfs.common.wire.proto.NodeCall;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Answers {@value ControlMethods#NODE}: calls that only nodes make, which prove with the cluster
 * key that they are nodes; the name that a connection gives proves nothing. Neither does a call
 * that was overheard on the network: a proof is for one asked process, whose challenge it answers,
 * and for one number of the calling process. Thread-safe.
 */
public final class NodeCallHandler implements ControlHandler {
  /**
   * More sessions than nodes start in a cluster while one of them runs; beyond that, all begin
   * anew.
   */
  private static final int MOST_SESSIONS = 4096;

  private final NodeId self;
  private final MacKey key;
  private final Map<String, ControlHandler> handlers;
  private final SecureRandom random = new SecureRandom();
  private final Map<ByteString, NumberWindow> sessions = new HashMap<>(); // guarded by itself
  private ByteString challenge; // guarded by sessions

  /**
   * @param key of the cluster, for nodes
   * @param handlers of the calls of nodes, by method
   */
  public NodeCallHandler(NodeId self, MacKey key, Map<String, ControlHandler> handlers) {
    this.self = self;
    this.key = key;
    this.handlers = Map.copyOf(handlers);
    this.challenge = newChallenge();
  }

  private ByteString newChallenge() {
    byte[] bytes = new byte[NodeProof.CHALLENGE_BYTES];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    NodeCall asked = Bodies.parse(ControlMethods.NODE, call.body(), NodeCall.parser());
    if (!asked.getChallenge().isEmpty() && !isWellFormed(asked)) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "not the call of a node: method=%s, caller=%d bytes, session=%d bytes"
              .formatted(asked.getMethod(), asked.getCaller().size(), asked.getSession().size()));
    }
    synchronized (sessions) {
      if (!asked.getChallenge().equals(challenge)) {
        return CompletableFuture.completedFuture(askAgain());
      }
    }
    if (!NodeProof.isProved(asked, self, key)) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only nodes of this cluster may do this, and the caller does not prove to be one:%s"
              .formatted(
                  " method=%s, user=%s, address=%s; has it another cluster key?"
                      .formatted(
                          asked.getMethod(), call.user().getUserName(), call.clientAddress())));
    }
    if (!isFirst(asked)) {
      return CompletableFuture.completedFuture(askAgain());
    }
    ControlHandler handler = handlers.get(asked.getMethod());
    if (handler == null) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "no such call of nodes: method=" + asked.getMethod());
    }
    return handler
        .handle(new ControlCall(call.user(), call.clientAddress(), asked.getBody().toByteArray()))
        .thenApply(body -> proved(asked, ByteString.copyFrom(body)));
  }

  /** A process that takes the port of a node that is down cannot give an answer that counts. */
  private byte[] proved(NodeCall asked, ByteString body) {
    return NodeAnswer.newBuilder()
        .setBody(body)
        .setProof(NodeProof.ofAnswer(asked, body, key))
        .build()
        .toByteArray();
  }

  private static boolean isWellFormed(NodeCall asked) {
    return asked.getCaller().size() == WireIds.ID_BYTES
        && asked.getSession().size() == NodeProof.SESSION_BYTES
        && asked.getChallenge().size() == NodeProof.CHALLENGE_BYTES
        && asked.getProof().size() <= MacKey.MAX_BYTES;
  }

  /** Only for proved calls, so that no other process makes it remember anything. */
  private boolean isFirst(NodeCall proved) {
    synchronized (sessions) {
      if (!proved.getChallenge().equals(challenge)) {
        return false;
      }
      NumberWindow window = sessions.get(proved.getSession());
      if (window == null) {
        if (sessions.size() == MOST_SESSIONS) {
          sessions.clear();
          challenge = newChallenge();
          return false;
        }
        window = new NumberWindow();
        sessions.put(proved.getSession(), window);
      }
      return window.use(proved.getNumber());
    }
  }

  private byte[] askAgain() {
    synchronized (sessions) {
      return NodeAnswer.newBuilder().setChallenge(challenge).build().toByteArray();
    }
  }
}

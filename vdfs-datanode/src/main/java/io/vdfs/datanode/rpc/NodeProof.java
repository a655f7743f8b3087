package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.NodeCall;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The proof of a call of a node: which node asks which other one for what, and that it was not
 * asked before. Pure.
 */
final class NodeProof {
  static final int SESSION_BYTES = 16;
  static final int CHALLENGE_BYTES = 16;

  private NodeProof() {}

  static NodeCall sign(NodeCall.Builder call, NodeId asked, MacKey key) {
    return call.setProof(ByteString.copyFrom(key.mac(parts(call.build(), asked)))).build();
  }

  static boolean isProved(NodeCall call, NodeId asked, MacKey key) {
    return key.verify(call.getProof().toByteArray(), parts(call, asked));
  }

  /** The proof of an answer: that a node gave it, to this call and no other one. */
  static ByteString ofAnswer(NodeCall call, ByteString body, MacKey key) {
    return ByteString.copyFrom(key.mac(answerParts(call, body)));
  }

  static boolean isAnswer(ByteString proof, NodeCall call, ByteString body, MacKey key) {
    return key.verify(proof.toByteArray(), answerParts(call, body));
  }

  private static byte[][] answerParts(NodeCall call, ByteString body) {
    return new byte[][] {
      "answer".getBytes(StandardCharsets.US_ASCII),
      call.getSession().toByteArray(),
      ByteBuffer.allocate(Long.BYTES).putLong(call.getNumber()).array(),
      call.getChallenge().toByteArray(),
      body.toByteArray()
    };
  }

  private static byte[][] parts(NodeCall call, NodeId asked) {
    return new byte[][] {
      "call".getBytes(StandardCharsets.US_ASCII),
      WireIds.encode(asked).toByteArray(),
      call.getCaller().toByteArray(),
      call.getSession().toByteArray(),
      ByteBuffer.allocate(Long.BYTES).putLong(call.getNumber()).array(),
      call.getChallenge().toByteArray(),
      call.getMethod().getBytes(StandardCharsets.UTF_8),
      call.getBody().toByteArray()
    };
  }
}

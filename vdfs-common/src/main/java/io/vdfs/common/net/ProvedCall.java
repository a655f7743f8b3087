package io.vdfs.common.net;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.util.concurrent.CompletableFuture;

/**
 * A question that only nodes may ask: asks for a nonce, then the question with a proof for it. What
 * arrives is handled on the connection's event loop.
 */
final class ProvedCall implements StreamListener {
  private final ReplicaRequest request;
  private final NodeProofs proofs;
  private final CompletableFuture<ReplicaResponse> answer;

  /** Set before anything is sent, thus before anything arrives. */
  private volatile DataStream stream;

  private boolean proved;

  private ProvedCall(
      ReplicaRequest request, NodeProofs proofs, CompletableFuture<ReplicaResponse> answer) {
    this.request = request;
    this.proofs = proofs;
    this.answer = answer;
  }

  /** Asks; the peer is told when the answer is no longer waited for. */
  static void send(
      DataConnection connection,
      ReplicaRequest request,
      NodeProofs proofs,
      CompletableFuture<ReplicaResponse> answer) {
    ProvedCall call = new ProvedCall(request, proofs, answer);
    DataStream stream = connection.open(call);
    call.stream = stream;
    var ended =
        answer.whenComplete(
            (response, failure) -> {
              if (failure == null) {
                stream.end();
              } else {
                stream.cancel();
              }
            });
    if (!ended.isDone()) {
      stream.send(
          FrameType.REPLICA_REQUEST,
          ReplicaRequest.newBuilder()
              .setClusterId(request.getClusterId())
              .setNode(request.getNode())
              .setFile(request.getFile())
              .setChallenge(true)
              .build());
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    ReplicaResponse response = ReplicaCalls.response(frame);
    if (response.hasError()) {
      answer.completeExceptionally(WireIds.exception(response.getError()));
    } else if (proved) {
      answer.complete(response);
    } else {
      proved = true;
      stream.send(FrameType.REPLICA_REQUEST, proofs.prove(request, response.getNonce()));
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    answer.completeExceptionally(cause);
  }
}

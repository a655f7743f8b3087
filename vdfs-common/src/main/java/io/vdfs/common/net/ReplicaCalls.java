package io.vdfs.common.net;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Small questions to other nodes over the shared connections. Thread-safe; never blocks. */
public final class ReplicaCalls {
  private final DataConnections connections;
  private final Duration limit;

  /**
   * @param limit of the whole call, connecting included
   */
  public ReplicaCalls(DataConnections connections, Duration limit) {
    this.connections = connections;
    this.limit = limit;
  }

  /**
   * @param request complete, addressee included
   * @return completes exceptionally with a VdfsException: the error of the answer, or UNAVAILABLE
   *     if there was none in time
   */
  public CompletableFuture<ReplicaResponse> call(DataAddress address, ReplicaRequest request) {
    return call(address, request, limit);
  }

  /**
   * As above, with a time limit of its own.
   *
   * @param ownLimit of this call, connecting included
   */
  public CompletableFuture<ReplicaResponse> call(
      DataAddress address, ReplicaRequest request, Duration ownLimit) {
    return call(
        address, request, ownLimit, (connection, answer) -> send(connection, request, answer));
  }

  /**
   * As above, for what only nodes may ask: proves, with a nonce of the node that is asked, that
   * this process is a node.
   */
  public CompletableFuture<ReplicaResponse> callAsNode(
      DataAddress address, ReplicaRequest request, NodeProofs proofs, Duration ownLimit) {
    return call(
        address,
        request,
        ownLimit,
        (connection, answer) -> ProvedCall.send(connection, request, proofs, answer));
  }

  private CompletableFuture<ReplicaResponse> call(
      DataAddress address,
      ReplicaRequest request,
      Duration ownLimit,
      BiConsumer<DataConnection, CompletableFuture<ReplicaResponse>> question) {
    CompletableFuture<ReplicaResponse> answer = new CompletableFuture<>();
    CompletableFuture<DataConnection> shared = connections.shared(address);
    var unused =
        shared.whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                question.accept(connection, answer);
              } else {
                answer.completeExceptionally(failure);
              }
            });
    var timer =
        CompletableFuture.delayedExecutor(ownLimit.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
    var timeout =
        CompletableFuture.runAsync(
            () -> {
              onUnanswered(shared, ownLimit);
              answer.completeExceptionally(tooLate(address, request, ownLimit));
            },
            timer);
    return answer.whenComplete((response, failure) -> timeout.cancel(false));
  }

  private static void onUnanswered(CompletableFuture<DataConnection> shared, Duration limit) {
    var unused = shared.thenAccept(connection -> connection.onUnanswered(limit));
  }

  private static void send(
      DataConnection connection,
      ReplicaRequest request,
      CompletableFuture<ReplicaResponse> answer) {
    DataStream stream = connection.open(new AnswerListener(answer));
    var ended = answer.whenComplete((response, failure) -> stream.end());
    if (!ended.isDone()) {
      stream.send(FrameType.REPLICA_REQUEST, request);
    }
  }

  private static ReplicaResponse response(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.REPLICA_RESPONSE) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a question is answered with a response: frame=" + frame);
    }
    return frame.header(ReplicaResponse.parser());
  }

  private static VdfsException tooLate(
      DataAddress address, ReplicaRequest request, Duration limit) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "no answer in time: address=%s, question=%s, limit=%s ms"
            .formatted(address, request.getOpCase(), limit.toMillis()));
  }

  private record AnswerListener(CompletableFuture<ReplicaResponse> answer)
      implements StreamListener {
    @Override
    public void onFrame(Frame frame) throws VdfsException {
      ReplicaResponse response = response(frame);
      if (response.hasError()) {
        answer.completeExceptionally(WireIds.exception(response.getError()));
      } else {
        answer.complete(response);
      }
    }

    @Override
    public void onDisconnected(VdfsException cause) {
      answer.completeExceptionally(cause);
    }
  }

  /**
   * A question that only nodes may ask: asks for a nonce, then the question with a proof for it.
   * What arrives is handled on the connection's event loop.
   */
  private static final class ProvedCall implements StreamListener {
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
      ReplicaResponse response = response(frame);
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
}

package io.vdfs.datanode.rpc;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers {@value ControlMethods#META}. Thread-safe.
 *
 * <p>The caller is the user of the connection. Only the request of a node names its caller, in
 * {@link #ofNodes}: the node passes on a request of that caller.
 */
public final class MetaHandler implements ControlHandler {
  private final Supplier<Optional<MetadataDispatcher>> dispatcher;
  private final NodeId self;
  private final Callers callers;

  /**
   * @param dispatcher gives none while this node hosts no member of the metadata group
   */
  public MetaHandler(
      Supplier<Optional<MetadataDispatcher>> dispatcher, NodeId self, Callers callers) {
    this.dispatcher = dispatcher;
    this.self = self;
    this.callers = callers;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    MetaRequest request = parse(call);
    CallerProto caller = callers.of(call.user());
    return answer(hosted -> hosted.dispatch(request, caller));
  }

  /** Answers the same call of callers that have proved to be nodes. */
  public ControlHandler ofNodes() {
    return call -> {
      MetaRequest request = parse(call);
      return answer(hosted -> hosted.dispatchOfNode(request, request.getCaller()));
    };
  }

  private static MetaRequest parse(ControlCall call) throws VdfsException {
    return Bodies.parse(ControlMethods.META, call.body(), MetaRequest.parser());
  }

  private CompletionStage<byte[]> answer(
      Function<MetadataDispatcher, CompletableFuture<MetaResponse>> question) {
    return dispatcher
        .get()
        .map(question)
        .orElseGet(
            () ->
                CompletableFuture.completedFuture(
                    Errors.notLeader(
                        Optional.empty(), "this node hosts no metadata: node=" + self)))
        .thenApply(MetaResponse::toByteArray);
  }
}

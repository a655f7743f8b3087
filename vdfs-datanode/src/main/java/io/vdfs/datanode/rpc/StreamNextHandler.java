package io.vdfs.datanode.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.NodeIds;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.util.concurrent.CompletionStage;

/**
 * Answers {@value ControlMethods#STREAM_NEXT}: asks the leader for a task's next run in the name of
 * this node, so that the run comes from here where it can. Thread-safe.
 */
public final class StreamNextHandler implements ControlHandler {
  private final LeaderGateway gateway;
  private final NodeId self;
  private final Callers callers;

  public StreamNextHandler(LeaderGateway gateway, NodeId self, Callers callers) {
    this.gateway = gateway;
    this.self = self;
    this.callers = callers;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    LedgerRequest asked =
        Bodies.parse(ControlMethods.STREAM_NEXT, call.body(), LedgerRequest.parser());
    if (!asked.hasNext()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "only the next run can be asked for: method=%s, op=%s"
              .formatted(ControlMethods.STREAM_NEXT, asked.getOpCase()));
    }
    LedgerRequest.Builder passedOn = asked.toBuilder();
    passedOn.getNextBuilder().setNode(NodeIds.toBytes(self));
    return gateway
        .call(
            MetaRequest.newBuilder().setLedger(passedOn).build(),
            callers.of(call.user().getShortUserName()))
        .thenApply(MetaResponse::toByteArray);
  }
}

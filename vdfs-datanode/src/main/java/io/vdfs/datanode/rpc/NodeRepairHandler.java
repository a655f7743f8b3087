package io.vdfs.datanode.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.datanode.rpc.request.Callers;
import java.util.concurrent.CompletionStage;

/**
 * Answers {@value ControlMethods#NODE_REPAIR}: only superusers may set the disks of a node to work.
 * Thread-safe.
 */
public final class NodeRepairHandler implements ControlHandler {
  private final Work work;
  private final Callers callers;

  /** Begins what is asked for. Thread-safe; never blocks. */
  @FunctionalInterface
  public interface Work {
    /**
     * @throws VdfsException UNAVAILABLE if the node has not started that part yet
     */
    CompletionStage<NodeRepairResponse> begin(NodeRepairRequest request) throws VdfsException;
  }

  public NodeRepairHandler(Work work, Callers callers) {
    this.work = work;
    this.callers = callers;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    CallerProto caller = callers.of(call.user());
    if (!caller.getSuperuser()) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "only a superuser may do this: call=%s, user=%s"
              .formatted(ControlMethods.NODE_REPAIR, caller.getUser()));
    }
    NodeRepairRequest request =
        Bodies.parse(ControlMethods.NODE_REPAIR, call.body(), NodeRepairRequest.parser());
    if (!request.getScrub() && !request.getAudit()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "neither a scrub nor an audit is asked for");
    }
    return work.begin(request).thenApply(NodeRepairResponse::toByteArray);
  }
}

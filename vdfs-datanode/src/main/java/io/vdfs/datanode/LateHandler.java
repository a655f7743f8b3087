package io.vdfs.datanode;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import java.util.concurrent.CompletionStage;

/** Holds the place of a handler that starts later than the port it is reached at. Thread-safe. */
final class LateHandler implements ControlHandler {
  private final String waitsFor;
  private volatile ControlHandler handler;

  /**
   * @param waitsFor what has to happen first, for callers that come too early
   */
  LateHandler(String waitsFor) {
    this.waitsFor = waitsFor;
  }

  void set(ControlHandler target) {
    handler = target;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    ControlHandler target = handler;
    if (target == null) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "this node is starting: waits for " + waitsFor);
    }
    return target.handle(call);
  }
}

package io.vdfs.common.rpc;

import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletionStage;

/** Answers the calls of one method. */
@FunctionalInterface
public interface ControlHandler {
  /**
   * Runs on a thread of the server, several at a time. Should not wait: slow work completes the
   * stage later, on any thread.
   *
   * @return the body of the response, which carries its errors itself and does not change any more
   * @throws VdfsException if the call is refused; answered as {@link Errors#response}
   */
  CompletionStage<byte[]> handle(ControlCall call) throws VdfsException;
}

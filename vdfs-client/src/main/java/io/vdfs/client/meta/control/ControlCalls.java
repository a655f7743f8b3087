package io.vdfs.client.meta.control;

import java.io.IOException;

/** One attempt of a control call to one node. Implementations are thread-safe. */
@FunctionalInterface
public interface ControlCalls {
  /**
   * Sends a request and waits for its answer. Nothing is retried here.
   *
   * @param method name of the call, such as {@code meta}
   * @return the answer's bytes; what the callee refuses stands in there
   * @throws java.io.InterruptedIOException if the thread was interrupted; the request may have been
   *     carried out
   * @throws io.vdfs.common.error.VdfsException PERMISSION_DENIED if the node refuses the caller's
   *     identity
   * @throws IOException if the node can't be reached or doesn't answer in time; the request may
   *     have been carried out
   */
  byte[] call(ControlAddress node, String method, byte[] body) throws IOException;
}

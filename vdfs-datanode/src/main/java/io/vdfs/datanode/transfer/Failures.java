package io.vdfs.datanode.transfer;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletionException;

/** What a peer is told of a failure. Stateless. */
final class Failures {
  private Failures() {}

  /** INTERNAL for what nobody foresaw, a lack of memory among it. */
  static VdfsException asVdfs(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof VdfsException known
        ? known
        : new VdfsException(ErrorCode.INTERNAL, "request failed: " + cause, cause);
  }
}

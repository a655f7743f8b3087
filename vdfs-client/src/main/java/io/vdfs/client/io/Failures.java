package io.vdfs.client.io;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Unwraps what futures throw. */
final class Failures {
  private Failures() {}

  static VdfsException asVdfs(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof VdfsException known
        ? known
        : new VdfsException(ErrorCode.INTERNAL, "unexpected failure: " + cause, cause);
  }
}

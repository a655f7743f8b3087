package io.vdfs.common.concurrent;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds the failure inside the exceptions in which futures wrap it. Stateless. */
public final class Causes {
  private Causes() {}

  /** The failure itself, however often futures have wrapped it. */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * The failure itself if it is known, else INTERNAL with it as its cause: for unforeseen failures,
   * such as a lack of memory.
   */
  public static VdfsException asVdfs(Throwable failure) {
    Throwable cause = of(failure);
    return cause instanceof VdfsException known
        ? known
        : new VdfsException(ErrorCode.INTERNAL, "unexpected failure: " + cause, cause);
  }
}

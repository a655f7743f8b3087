package io.vdfs.client.meta.retry;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InterruptedIOException;

/** Tells failures of a single node from those that no other node could cure. Stateless. */
public final class TransportErrors {
  private TransportErrors() {}

  /** Throws {@code e} if trying another node, or later, can't help. */
  public static void rethrowFinal(IOException e) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted(e);
    }
    if (e instanceof VdfsException refused && !isPassing(refused.code())) {
      throw e;
    }
  }

  private static boolean isPassing(ErrorCode code) {
    return code == ErrorCode.UNAVAILABLE || code == ErrorCode.IO_ERROR;
  }

  /**
   * The exception of a call whose thread was interrupted; the caller sets the thread's interrupt
   * flag.
   */
  public static InterruptedIOException interrupted(Exception cause) {
    InterruptedIOException interrupted =
        new InterruptedIOException("interrupted in a call to the cluster; it may have happened");
    interrupted.initCause(cause);
    return interrupted;
  }
}

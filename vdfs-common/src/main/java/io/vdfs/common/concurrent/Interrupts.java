package io.vdfs.common.concurrent;

import java.io.InterruptedIOException;

/** Interrupts of threads inside methods that throw {@code IOException}. Stateless. */
public final class Interrupts {
  private Interrupts() {}

  /**
   * Sets the thread's interrupted status again and makes the exception to throw.
   *
   * @param doing what the thread was at, such as {@code "reading: file=7.1"}
   */
  public static InterruptedIOException during(String doing, InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException interrupted = new InterruptedIOException("interrupted while " + doing);
    interrupted.initCause(cause);
    return interrupted;
  }
}

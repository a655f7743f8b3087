package io.vdfs.yarn;

/** A setting that overcommit cannot work with; its message names the value and the cure. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }

  RefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}

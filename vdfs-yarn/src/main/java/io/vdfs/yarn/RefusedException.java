package io.vdfs.yarn;

import java.util.Optional;

/** A setting that overcommit cannot work with; its message names the value and the cure. */
final class RefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }

  RefusedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** For a key whose value is {@code text} where something else is expected. */
  static RefusedException of(String key, String text, String expected, Optional<Exception> cause) {
    String message = key + "=" + text + ": " + expected;
    return cause
        .map(why -> new RefusedException(message, why))
        .orElseGet(() -> new RefusedException(message));
  }
}

package io.vdfs.it.quickstart;

/** Ends the quickstart; the message is one line that names cause and cure. */
final class QuickstartException extends Exception {
  private static final long serialVersionUID = 1;

  QuickstartException(String message) {
    super(message);
  }

  QuickstartException(String message, Throwable cause) {
    super(message, cause);
  }
}

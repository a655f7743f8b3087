package io.vdfs.common.error;

/** Puts failures into one line for people. Stateless. */
public final class ErrorText {
  private ErrorText() {}

  /**
   * The text of a failure. An exception of VDFS speaks for itself; any other one is named with its
   * class, as its message may be a bare file name or missing.
   *
   * @return one line, never empty
   */
  public static String of(Throwable failure) {
    String message = failure.getMessage() == null ? "" : failure.getMessage().strip();
    if (message.isEmpty()) {
      return failure.getCause() == null
          ? failure.getClass().getName()
          : failure.getClass().getName() + ", caused by " + of(failure.getCause());
    }
    return failure instanceof VdfsException
        ? line(message)
        : failure.getClass().getName() + ": " + line(message);
  }

  /** A text without line breaks. */
  public static String line(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}

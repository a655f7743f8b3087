package io.vdfs.common.error;

import java.io.IOException;
import java.util.Objects;

/** The one exception family of VDFS; {@link #code()} says what a caller can do about it. */
public class VdfsException extends IOException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * @param message what went wrong with its values: {@code "disk full: volume=/d1, free=0"}
   */
  public VdfsException(ErrorCode code, String message) {
    super(message);
    this.code = Objects.requireNonNull(code, "code");
  }

  public VdfsException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = Objects.requireNonNull(code, "code");
  }

  public ErrorCode code() {
    return code;
  }
}

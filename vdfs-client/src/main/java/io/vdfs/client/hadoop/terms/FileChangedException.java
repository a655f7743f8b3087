package io.vdfs.client.hadoop.terms;

import java.io.IOException;

/** The content that a reader was bound to is gone, or the path holds another one. */
public final class FileChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  public FileChangedException(String message, Throwable cause) {
    super(message, cause);
  }
}

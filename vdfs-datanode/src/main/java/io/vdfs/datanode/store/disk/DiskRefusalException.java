package io.vdfs.datanode.store.disk;

import java.io.IOException;

/** The machine has no means for an operation now; nothing is wrong with the disk. */
public abstract class DiskRefusalException extends IOException {
  private static final long serialVersionUID = 1L;

  DiskRefusalException(String message) {
    super(message);
  }

  DiskRefusalException(String message, Throwable cause) {
    super(message, cause);
  }
}

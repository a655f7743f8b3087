package io.vdfs.datanode.store.disk;

/** The disk has no room for a write. */
public final class DiskFullException extends DiskRefusalException {
  private static final long serialVersionUID = 1L;

  public DiskFullException(String message) {
    super(message);
  }

  public DiskFullException(String message, Throwable cause) {
    super(message, cause);
  }
}

package io.vdfs.datanode.store.disk;

/** The process, or the machine, may have no more open files: nothing was opened or changed. */
public final class TooManyOpenFilesException extends DiskRefusalException {
  private static final long serialVersionUID = 1L;

  public TooManyOpenFilesException(String message) {
    super(message);
  }

  public TooManyOpenFilesException(String message, Throwable cause) {
    super(message, cause);
  }
}

package io.vdfs.datanode.store;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.DiskFullException;
import java.io.IOException;
import java.nio.file.Path;

/** Words failures of a disk. Stateless. */
final class StoreErrors {
  private StoreErrors() {}

  /**
   * @param what the operation that failed, as in "cannot write"
   */
  static VdfsException of(String what, Path volume, Path file, IOException cause) {
    String place = ": volume=" + volume + ", file=" + file + ", cause=" + cause.getMessage();
    return cause instanceof DiskFullException
        ? new VdfsException(ErrorCode.NO_SPACE, what + ", disk full" + place, cause)
        : new VdfsException(ErrorCode.IO_ERROR, what + place, cause);
  }

  /** What a writer is told whose file may have been removed since the metadata told it of it. */
  static VdfsException staleTicket(FileKey file, long lastDeletion, long reached) {
    return new VdfsException(
        ErrorCode.STALE_TICKET,
        "file may have been deleted since the ticket was given out: file="
            + file
            + ", deletions known to the ticket="
            + lastDeletion
            + ", carried out here="
            + reached);
  }

  /** What somebody is told who would make a file again that was removed. */
  static VdfsException removed(FileKey file) {
    return new VdfsException(ErrorCode.FENCED, "file was deleted: file=" + file);
  }
}

package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.DiskFullException;
import io.vdfs.datanode.store.disk.TooManyOpenFilesException;
import java.io.IOException;
import java.nio.file.Path;

/** Puts failures of a disk into words. Stateless. */
public final class StoreErrors {
  private StoreErrors() {}

  /**
   * @param what the operation that failed, as in "cannot write"
   */
  public static VdfsException of(String what, Path volume, Path file, IOException cause) {
    String place = ": volume=" + volume + ", file=" + file + ", cause=" + cause.getMessage();
    if (cause instanceof DiskFullException) {
      return new VdfsException(ErrorCode.NO_SPACE, what + ", disk full" + place, cause);
    }
    return cause instanceof TooManyOpenFilesException
        ? new VdfsException(
            ErrorCode.UNAVAILABLE, what + ", raise the daemon's LimitNOFILE" + place, cause)
        : new VdfsException(ErrorCode.IO_ERROR, what + place, cause);
  }
}

package io.vdfs.datanode.store;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;

/** Says whether the metadata still have a file. Thread-safe; blocks. */
@FunctionalInterface
public interface FileRegistry {
  /** Never has an answer. */
  FileRegistry NONE =
      file -> {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            "this node is starting and can't ask yet whether the file was deleted: file=" + file);
      };

  /**
   * @throws VdfsException UNAVAILABLE if that can't be told now
   */
  boolean exists(FileKey file) throws VdfsException;
}

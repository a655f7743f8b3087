package io.vdfs.client.io;

import io.vdfs.common.model.FileKey;
import java.io.IOException;

/** Asks the metadata service for a file again. Blocks with a limit. */
@FunctionalInterface
public interface ViewSource {
  /**
   * @throws io.vdfs.common.error.VdfsException NOT_FOUND if the file is gone, FILE_CHANGED if its
   *     content was replaced
   */
  FileView refresh(FileKey file) throws IOException;
}

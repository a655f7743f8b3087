package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.FileKey;
import java.io.IOException;

/** Removes what this node holds of files. Blocks on the disk. */
@FunctionalInterface
public interface FileRemover {
  /** Removes everything of {@code file}; done at once if there is nothing. */
  void remove(FileKey file) throws IOException;
}

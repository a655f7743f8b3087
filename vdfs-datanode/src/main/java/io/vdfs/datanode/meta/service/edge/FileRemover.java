package io.vdfs.datanode.meta.service.edge;

import io.vdfs.common.model.FileKey;
import java.io.IOException;

/** Removes what this node holds of files. Blocks on the disk. */
public interface FileRemover {
  /** Removes everything of {@code file}; done at once if there is nothing. */
  void remove(FileKey file) throws IOException;

  /**
   * Returns when nothing of the files that were removed before can come back.
   *
   * @param lastDeletion the deletions up to this sequence were tried
   */
  void force(long lastDeletion) throws IOException;
}

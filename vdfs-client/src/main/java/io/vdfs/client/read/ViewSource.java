package io.vdfs.client.read;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.common.model.FileKey;
import java.io.IOException;

/** Asks again about a file and the nodes that hold it. Blocks with a limit. */
public interface ViewSource {
  /**
   * Asks any node where the nodes are now, for {@link GroupPlaces}. Needs no leader of the metadata
   * group. Where no node answers, what is known stays.
   */
  void refreshNodes() throws IOException;

  /**
   * Asks the metadata service for the file, and any node where the nodes are.
   *
   * @throws io.vdfs.common.error.VdfsException NOT_FOUND if the file is gone, FILE_CHANGED if its
   *     content was replaced
   */
  FileView refresh(FileKey file) throws IOException;

  /** Asks no node: there is nothing newer than {@code view} yet. */
  static ViewSource fixed(FileView view) {
    return new ViewSource() {
      @Override
      public void refreshNodes() {
        // they are where the placement has them
      }

      @Override
      public FileView refresh(FileKey file) {
        return view;
      }
    };
  }
}

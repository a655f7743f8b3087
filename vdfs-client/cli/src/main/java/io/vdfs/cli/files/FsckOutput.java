package io.vdfs.cli.files;

import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies;
import java.io.IOException;

/** How {@code vdfs fsck} prints what it finds, as it finds it. */
interface FsckOutput {
  /** A file with groups that lack copies, or whose copies can't be reached. */
  void file(String path, FileInfo file, FileCopies copies) throws IOException;

  /**
   * The end of the output.
   *
   * @param ringEpoch of the ring map by which copies were counted
   */
  void end(FsckTotals totals, long ringEpoch) throws IOException;
}

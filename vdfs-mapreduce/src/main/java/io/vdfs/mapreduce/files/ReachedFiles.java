package io.vdfs.mapreduce.files;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * A VDFS behind whatever filesystem its files are named in. Immutable.
 *
 * @param vdfs where the files are
 * @param direct whether no other filesystem stands before it
 * @param inside gives the path there of a path of the outer filesystem
 * @param outside gives the path in the outer filesystem of a path there; a path without an outer
 *     one stays as it is
 */
public record ReachedFiles(
    VdfsFileSystem vdfs, boolean direct, UnaryOperator<Path> inside, UnaryOperator<Path> outside) {
  /** Files that are named in VDFS itself. */
  static ReachedFiles in(VdfsFileSystem vdfs) {
    return new ReachedFiles(vdfs, true, UnaryOperator.identity(), UnaryOperator.identity());
  }

  /** The same, seen through one more filesystem. */
  ReachedFiles through(UnaryOperator<Path> inward, UnaryOperator<Path> outward) {
    return new ReachedFiles(
        vdfs,
        false,
        path -> inside.apply(inward.apply(path)),
        path -> outward.apply(outside.apply(path)));
  }

  /**
   * Whether the filesystem before VDFS reports the same length of a file as VDFS does. A filter
   * that reports another length also gives other bytes, so that blocks of the file inside are no
   * part of it.
   *
   * @param file as it was listed
   */
  public boolean hasLengthOf(FileStatus file) throws IOException {
    return direct || vdfs.getFileStatus(inside.apply(file.getPath())).getLen() == file.getLen();
  }

  /** Whether a task that gets the path there will find the file again under this path. */
  boolean leadsBackTo(Path path) {
    return outside.apply(inside.apply(path)).equals(path);
  }
}

package io.vdfs.mapreduce;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;

/**
 * A VDFS behind whatever filesystem its files are named in. Immutable.
 *
 * @param vdfs where the files are
 * @param inside gives the path there of a path of the outer filesystem
 * @param outside gives the path in the outer filesystem of a path there; one that no outer path
 *     stands for stays as it is
 */
record ReachedFiles(VdfsFileSystem vdfs, UnaryOperator<Path> inside, UnaryOperator<Path> outside) {
  /** The same, seen through one filesystem more. */
  ReachedFiles through(UnaryOperator<Path> inward, UnaryOperator<Path> outward) {
    return new ReachedFiles(
        vdfs, path -> inside.apply(inward.apply(path)), path -> outward.apply(outside.apply(path)));
  }

  /** Whether a task that is told the path there will find the file under this one again. */
  boolean leadsBackTo(Path path) {
    return outside.apply(inside.apply(path)).equals(path);
  }
}

package io.vdfs.mapreduce;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Finds the filesystem whose metadata service holds a stream. Stateless. */
final class StreamFileSystems {
  private StreamFileSystems() {}

  /**
   * @throws IOException if {@code uri} is of another filesystem
   */
  static VdfsFileSystem of(URI uri, Configuration conf) throws IOException {
    FileSystem fileSystem = FileSystem.get(uri, conf);
    if (fileSystem instanceof VdfsFileSystem vdfs) {
      return vdfs;
    }
    throw new IOException(
        "logical splits need a vdfs:// filesystem: uri="
            + uri
            + ", filesystem="
            + fileSystem.getClass().getName()
            + "; set fs.vdfs.impl to "
            + VdfsFileSystem.class.getName());
  }
}

package io.vdfs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;

/** Where a split of a whole file should run: with its first block. */
final class StaticHosts {
  private StaticHosts() {}

  static String[] of(Configuration conf, FileStatus file) throws IOException {
    if (file.getLen() == 0) {
      return new String[0];
    }
    BlockLocation[] locations =
        file.getPath().getFileSystem(conf).getFileBlockLocations(file, 0, 1);
    return locations.length == 0 ? new String[0] : locations[0].getHosts();
  }
}

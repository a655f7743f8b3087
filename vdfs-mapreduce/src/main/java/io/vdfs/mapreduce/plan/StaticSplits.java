package io.vdfs.mapreduce.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/** Splits of files that cannot be drawn from the ledger, cut as Hadoop would. Stateless. */
final class StaticSplits {
  /** The last split may be longer by this factor, as a task for a small rest does not pay. */
  private static final double SLOP = 1.1;

  private StaticSplits() {}

  /**
   * @param splittable whether the format can begin anywhere in the file; else it gets one split
   */
  static List<FileSplit> of(Configuration conf, FileStatus file, boolean splittable)
      throws IOException {
    long length = file.getLen();
    long size = splittable ? splitSize(conf, file) : Math.max(1, length);
    List<FileSplit> splits = new ArrayList<>();
    long start = 0;
    while (length - start > size * SLOP) {
      splits.add(split(conf, file, start, size));
      start += size;
    }
    splits.add(split(conf, file, start, length - start));
    return splits;
  }

  private static long splitSize(Configuration conf, FileStatus file) {
    long most = conf.getLong(FileInputFormat.SPLIT_MAXSIZE, Long.MAX_VALUE);
    long least = Math.max(1, conf.getLong(FileInputFormat.SPLIT_MINSIZE, 1));
    return Math.max(least, Math.min(most, file.getBlockSize()));
  }

  private static FileSplit split(Configuration conf, FileStatus file, long start, long length)
      throws IOException {
    return new FileSplit(file.getPath(), start, length, hosts(conf, file, start));
  }

  private static String[] hosts(Configuration conf, FileStatus file, long start)
      throws IOException {
    if (file.getLen() == 0) {
      return new String[0];
    }
    BlockLocation[] locations =
        file.getPath().getFileSystem(conf).getFileBlockLocations(file, start, 1);
    return locations.length == 0 ? new String[0] : locations[0].getHosts();
  }
}

package io.vdfs.mapreduce.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;

/**
 * Cuts files, laid one behind the other, into parts of equal size: what the splits of a job would
 * be if they were static. Stateless.
 */
final class ShareCutter {
  private ShareCutter() {}

  static List<List<TaskRun>> cut(List<FileStatus> files, int parts) {
    long total = files.stream().mapToLong(FileStatus::getLen).sum();
    List<List<TaskRun>> shares = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      shares.add(between(files, position(total, part, parts), position(total, part + 1, parts)));
    }
    return shares;
  }

  /** Without overflow. */
  private static long position(long total, int part, int parts) {
    return total / parts * part + total % parts * part / parts;
  }

  private static List<TaskRun> between(List<FileStatus> files, long from, long to) {
    List<TaskRun> runs = new ArrayList<>();
    long start = 0;
    for (FileStatus file : files) {
      long first = Math.max(from, start);
      long end = Math.min(to, start + file.getLen());
      if (first < end) {
        runs.add(new TaskRun(file.getPath(), first - start, end - first));
      }
      start += file.getLen();
    }
    return runs;
  }
}

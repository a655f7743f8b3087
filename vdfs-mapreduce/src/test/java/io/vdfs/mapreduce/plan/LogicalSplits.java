package io.vdfs.mapreduce.plan;

import java.util.List;
import org.apache.hadoop.fs.Path;

/** Logical splits for tests. Stateless. */
public final class LogicalSplits {
  private LogicalSplits() {}

  /** A split as it is at the place where it was planned. */
  public static LogicalSplit planned(List<TaskRun> share) {
    return new LogicalSplit(new byte[16], 0, 10, new Path("vdfs://c/a"), new String[0], share);
  }
}

package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.plan.TaskRun;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.SplitLocationInfo;

/**
 * A {@link io.vdfs.mapreduce.plan.LogicalSplit} as the old API sees it. A mapper that asks for its
 * file sees the one it is reading now. Confined to the task's thread.
 */
public final class LogicalSplit extends FileSplit {
  private final io.vdfs.mapreduce.plan.LogicalSplit split;

  /** For deserialisation. */
  public LogicalSplit() {
    this(new io.vdfs.mapreduce.plan.LogicalSplit());
  }

  LogicalSplit(io.vdfs.mapreduce.plan.LogicalSplit split) {
    this.split = split;
  }

  io.vdfs.mapreduce.plan.LogicalSplit split() {
    return split;
  }

  void showRun(TaskRun run, Configuration task) {
    split.showRun(run, task);
  }

  @Override
  public Path getPath() {
    return split.getPath();
  }

  @Override
  public long getStart() {
    return split.getStart();
  }

  @Override
  public long getLength() {
    return split.getLength();
  }

  @Override
  public String[] getLocations() {
    return split.getLocations();
  }

  @Override
  public SplitLocationInfo[] getLocationInfo() throws IOException {
    return split.getLocationInfo();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    split.write(out);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    split.readFields(in);
  }

  @Override
  public String toString() {
    return split.toString();
  }
}

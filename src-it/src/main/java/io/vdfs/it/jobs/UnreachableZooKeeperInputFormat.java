package io.vdfs.it.jobs;

import io.vdfs.mapreduce.VdfsInputFormat;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Logical splits of lines for containers whose configuration names a ZooKeeper that does not exist.
 */
public final class UnreachableZooKeeperInputFormat extends InputFormat<LongWritable, Text> {
  /** Job property: the key that names ZooKeeper. */
  public static final String KEY = "vdfs.it.unreachable.zookeeper.key";

  private final VdfsInputFormat<LongWritable, Text> lines = new VdfsInputFormat<>();

  /** For instantiation by MapReduce. */
  public UnreachableZooKeeperInputFormat() {}

  /** By now the submitting client has what it needs. */
  @Override
  public List<InputSplit> getSplits(JobContext job) throws IOException, InterruptedException {
    List<InputSplit> splits = lines.getSplits(job);
    job.getConfiguration().set(job.getConfiguration().get(KEY), "127.0.0.1:1");
    return splits;
  }

  @Override
  public RecordReader<LongWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) throws IOException, InterruptedException {
    return lines.createRecordReader(split, context);
  }
}

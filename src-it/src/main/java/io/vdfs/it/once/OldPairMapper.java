package io.vdfs.it.once;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** {@link PairMapper} for the old API. */
public final class OldPairMapper extends MapReduceBase
    implements Mapper<LongWritable, Text, LongWritable, Text> {
  private final LongWritable number = new LongWritable();
  private final Text attempt = new Text();
  private Rest rest;

  /** For instantiation by MapReduce. */
  public OldPairMapper() {}

  @Override
  public void configure(JobConf job) {
    attempt.set(job.get("mapreduce.task.attempt.id"));
    rest = new Rest(job);
  }

  @Override
  public void map(
      LongWritable offset, Text line, OutputCollector<LongWritable, Text> output, Reporter reporter)
      throws IOException {
    number.set(NumberedRecord.parse(line.toString()));
    output.collect(number, attempt);
    rest.onRecord();
  }
}

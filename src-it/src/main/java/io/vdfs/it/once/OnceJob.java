package io.vdfs.it.once;

import io.vdfs.it.jobs.Gate;
import io.vdfs.mapreduce.VdfsInputFormat;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * A job over {@link NumberedFiles}. Without a reducer it writes a pair (record, attempt) for each
 * record; with one it writes how often it got each record, in the order of their numbers, so that
 * its output does not depend on the attempts. Stateless.
 */
public final class OnceJob {
  /** Job property: milliseconds that a map task pauses after every hundred records. */
  public static final String REST_MILLIS = "vdfs.it.once.rest.millis";

  /**
   * Job property: a directory of the local disk; reducers wait until {@link #release} is called.
   */
  public static final String REDUCE_GATE = "vdfs.it.once.reduce.gate";

  private static final String GATE = "reduce";

  private OnceJob() {}

  /**
   * @param reducers none or one
   */
  public static Job make(
      Configuration conf,
      org.apache.hadoop.fs.Path input,
      org.apache.hadoop.fs.Path output,
      int reducers)
      throws IOException {
    Job job = Job.getInstance(conf, "once " + output.getName());
    job.setInputFormatClass(VdfsInputFormat.class);
    job.setMapperClass(PairMapper.class);
    job.setReducerClass(CountingReducer.class);
    job.setNumReduceTasks(reducers);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  /** The job without reducers, all of it in the old API. */
  public static Job makeOld(
      Configuration conf, org.apache.hadoop.fs.Path input, org.apache.hadoop.fs.Path output)
      throws IOException {
    JobConf old = new JobConf(conf);
    old.setJobName("once, old API, " + output.getName());
    old.setInputFormat(io.vdfs.mapreduce.mapred.VdfsInputFormat.class);
    old.setMapperClass(OldPairMapper.class);
    old.setNumReduceTasks(0);
    old.setOutputKeyClass(LongWritable.class);
    old.setOutputValueClass(Text.class);
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(old, input);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(old, output);
    return Job.getInstance(old);
  }

  /** Releases the reducers that wait at this gate. */
  public static void release(Path gateDirectory) throws IOException {
    new Gate(gateDirectory, GATE).open("");
  }

  static void awaitRelease(Path gateDirectory) throws IOException {
    new Gate(gateDirectory, GATE).await();
  }
}

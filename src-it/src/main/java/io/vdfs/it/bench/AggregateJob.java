package io.vdfs.it.bench;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.aggregate.ValueAggregatorJob;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs Hadoop's {@link ValueAggregatorJob} with the input format that {@code
 * mapreduce.job.inputformat.class} names ({@link TextInputFormat} by default), which that job's own
 * program overwrites. Its descriptors come from settings: {@code
 * mapreduce.aggregate.descriptor.num} and {@code mapreduce.aggregate.descriptor.0} with {@code
 * UserDefined,CLASS}, and {@code mapreduce.aggregate.user.jar.file} names the jar that has the
 * class.
 *
 * <p>Usage: {@code AggregateJob [-D ...] INPUT OUTPUT}
 */
public final class AggregateJob extends Configured implements Tool {
  /** For {@link ToolRunner}. */
  AggregateJob() {}

  /** Runs the job. */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new AggregateJob(), args));
  }

  @Override
  @SuppressWarnings("rawtypes") // as Hadoop declares it
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println("usage: AggregateJob [-D ...] INPUT OUTPUT");
      return 2;
    }
    Class<? extends InputFormat> format =
        getConf()
            .getClass(
                MRJobConfig.INPUT_FORMAT_CLASS_ATTR, TextInputFormat.class, InputFormat.class);
    Job job =
        ValueAggregatorJob.createValueAggregatorJob(
            getConf(), new String[] {args[0], args[1], "1", "textinputformat"});
    job.setInputFormatClass(format);
    return job.waitForCompletion(true) ? 0 : 1;
  }
}

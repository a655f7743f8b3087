package io.vdfs.it.bench.tfidf;

import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Weighs the terms of a text, as a job without reducers: each {@link TfidfMapper} reads the whole
 * model and its split, and writes one file with a line for each of its terms: the term, how often
 * its split has it, and its weight, separated by tabs. Prints a line of JSON: bytes of text, maps,
 * seconds from the submission to the end, MB (10^6 bytes) of text per second.
 *
 * <p>Usage: {@code TfidfJob [-D ...] INPUT MODEL OUTPUT}; {@link TfidfModel} makes models.
 */
public final class TfidfJob extends Configured implements Tool {
  /** For {@link ToolRunner}. */
  TfidfJob() {}

  /** Runs the job. */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new TfidfJob(), args));
  }

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("usage: TfidfJob [-D ...] INPUT MODEL OUTPUT");
      return 2;
    }
    Path input = new Path(args[0]);
    Path output = new Path(args[2]);
    long bytes = input.getFileSystem(getConf()).getContentSummary(input).getLength();
    Job job = job(input, args[1], output);
    long start = System.nanoTime();
    if (!job.waitForCompletion(false)) {
      throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    FileSystem fileSystem = output.getFileSystem(getConf());
    System.out.printf(
        Locale.ROOT,
        "{\"bytes\": %d, \"maps\": %d, \"seconds\": %.2f, \"mb_per_s\": %.2f}%n",
        bytes,
        fileSystem.globStatus(new Path(output, "part-m-*")).length,
        seconds,
        bytes / 1e6 / seconds);
    return 0;
  }

  private Job job(Path input, String model, Path output) throws IOException {
    Job job = Job.getInstance(getConf(), "term weights");
    job.setJarByClass(TfidfJob.class);
    job.setMapperClass(TfidfMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.getConfiguration().set(TfidfMapper.MODEL, model);
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }
}

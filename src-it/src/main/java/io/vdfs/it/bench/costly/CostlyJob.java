package io.vdfs.it.bench.costly;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * How close does a job come to the time that its work would take if it were spread ideally? Runs
 * {@link CostlyMapper} over the input and prints a line of JSON: job time, the ideal, their
 * quotient, the standard deviations of the tasks' end times and of their life spans. Writes the
 * life span of each task into a file, for {@link LifeSpanPlot}.
 *
 * <p>Usage: {@code CostlyJob [-D ...] LABEL INPUT OUTPUT SPANS CAPACITY}; the capacity is that of
 * all tasks that may run at a time, an ordinary one counted as 1.
 */
public final class CostlyJob extends Configured implements Tool {
  private CostlyJob() {}

  /** Runs the job. */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new CostlyJob(), args));
  }

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 5) {
      System.err.println("usage: CostlyJob [-D ...] LABEL INPUT OUTPUT SPANS CAPACITY");
      return 2;
    }
    Path output = new Path(args[2]);
    Job job = job(args[0], new Path(args[1]), output);
    long start = System.nanoTime();
    if (!job.waitForCompletion(false)) {
      throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    List<LifeSpan> spans = spans(output);
    Files.write(
        java.nio.file.Path.of(args[3]), spans.stream().map(LifeSpan::toLine).sorted().toList());
    long launched = job.getCounters().findCounter(JobCounter.TOTAL_LAUNCHED_MAPS).getValue();
    System.out.println(report(args[0], seconds, spans, launched, Double.parseDouble(args[4])));
    return 0;
  }

  private Job job(String label, Path input, Path output) throws IOException {
    Job job = Job.getInstance(getConf(), "costly records, " + label);
    job.setJarByClass(CostlyJob.class);
    job.setMapperClass(CostlyMapper.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(NullWritable.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  private List<LifeSpan> spans(Path output) throws IOException {
    List<LifeSpan> spans = new ArrayList<>();
    FileSystem fileSystem = output.getFileSystem(getConf());
    for (FileStatus part : fileSystem.globStatus(new Path(output, "part-*"))) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(fileSystem.open(part.getPath()), StandardCharsets.UTF_8))) {
        lines.lines().map(LifeSpan::ofLine).forEach(spans::add);
      }
    }
    return spans;
  }

  private String report(
      String label, double jobSeconds, List<LifeSpan> spans, long launched, double capacity) {
    Configuration conf = getConf();
    long records = spans.stream().mapToLong(LifeSpan::records).sum();
    long dear = spans.stream().mapToLong(LifeSpan::dearRecords).sum();
    long units = records + dear * (conf.getInt(CostlyMapper.DEAR_FACTOR, 1) - 1);
    double ideal = units * (double) conf.getLong(CostlyMapper.RECORD_NANOS, 0) / 1e9 / capacity;
    double mapSeconds = (LifeSpan.lastEnd(spans) - LifeSpan.firstStart(spans)) / 1e3;
    return String.format(
        Locale.ROOT,
        "{\"system\": \"%s\", \"job_s\": %.1f, \"ideal_s\": %.1f, \"job_to_ideal\": %.3f,"
            + " \"maps_s\": %.1f, \"tasks\": %d, \"launched\": %d, \"end_deviation_s\": %.1f,"
            + " \"life_deviation_s\": %.1f, \"records\": %d, \"dear_records\": %d}",
        label,
        jobSeconds,
        ideal,
        jobSeconds / ideal,
        mapSeconds,
        spans.size(),
        launched,
        deviation(spans, LifeSpan::endMillis) / 1e3,
        deviation(spans, LifeSpan::seconds),
        records,
        dear);
  }

  private static double deviation(List<LifeSpan> spans, ToDoubleFunction<LifeSpan> value) {
    double mean = spans.stream().mapToDouble(value).average().orElse(0);
    double squares = spans.stream().mapToDouble(value).map(x -> (x - mean) * (x - mean)).sum();
    return Math.sqrt(squares / Math.max(1, spans.size()));
  }
}

package io.vdfs.it.bench;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.WordCount;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * What does the ledger cost when nothing goes wrong? Runs a word count over a text in a cluster of
 * three DataNode processes with blocks of 8 MiB, then draws block by block without reading
 * anything, and prints as JSON: entries in the log per GiB of input, the share of their time that
 * tasks waited for the ledger after their first run, the CPU time of an entry in all processes
 * together, and the ledger's share of the job's CPU time.
 *
 * <p>Usage: {@code LedgerOverhead MEBIBYTES}
 */
public final class LedgerOverhead {
  private static final int STREAMS = 8;
  private static final long GIB = 1L << 30;
  private static final int MAP_THREADS = 2;

  private final DaemonProcesses cluster;
  private final WorkDirectory directory;
  private final VdfsFileSystem fileSystem;

  private LedgerOverhead(
      DaemonProcesses cluster, WorkDirectory directory, VdfsFileSystem fileSystem) {
    this.cluster = cluster;
    this.directory = directory;
    this.fileSystem = fileSystem;
  }

  /** Runs the benchmark. */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: LedgerOverhead MEBIBYTES");
      System.exit(2);
    }
    ClusterSpec spec = ClusterSpec.small("overhead", 3).withDefaultGeometry();
    try (WorkDirectory directory = WorkDirectory.create("overhead");
        DaemonProcesses cluster = DaemonProcesses.start(spec);
        VdfsFileSystem fileSystem = (VdfsFileSystem) cluster.newFileSystem()) {
      LedgerOverhead overhead = new LedgerOverhead(cluster, directory, fileSystem);
      overhead.load(Long.parseLong(args[0]) << 20);
      overhead.print(overhead.countWords(), overhead.nanosPerEntry());
    }
  }

  private void load(long bytes) throws IOException {
    java.nio.file.Path text = directory.directory("text").resolve("text");
    TextGenerator.generate(text, bytes, 1);
    fileSystem.copyFromLocalFile(new Path(text.toUri()), new Path("/in/text"));
  }

  /** A job and the CPU time that it used. */
  private record Used(Job job, long cpuNanos) {
    long counter(StreamCounter counter) throws IOException {
      return job.getCounters().findCounter(counter).getValue();
    }
  }

  private Used countWords() throws Exception {
    Job job = job();
    job.setMapperClass(WordCount.TokenizerMapper.class);
    job.setCombinerClass(WordCount.IntSumReducer.class);
    job.setReducerClass(WordCount.IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileOutputFormat.setOutputPath(job, new Path("/out"));
    long before = cpuNanos();
    if (!job.waitForCompletion(false)) {
      throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
    }
    return new Used(job, cpuNanos() - before);
  }

  private Job job() throws IOException {
    Configuration conf = cluster.configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", directory.directory("tmp").toString());
    conf.setInt("mapreduce.local.map.tasks.maximum", MAP_THREADS);
    Job job = Job.getInstance(conf);
    job.setInputFormatClass(VdfsInputFormat.class);
    FileInputFormat.setInputPaths(job, "/in");
    return job;
  }

  /** CPU time of an entry in client and nodes, without what they use when idle. */
  private long nanosPerEntry() throws Exception {
    drawAll();
    long start = System.nanoTime();
    long before = cpuNanos();
    long entries = 0;
    for (int stream = 0; stream < STREAMS; stream++) {
      entries += drawAll();
    }
    long busy = cpuNanos() - before;
    long elapsed = System.nanoTime() - start;
    long idleBefore = cpuNanos();
    idle(Duration.ofNanos(elapsed));
    long idle = cpuNanos() - idleBefore;
    if (busy <= idle) {
      throw new IllegalStateException(
          "an idle cluster used more CPU time than one that draws: idle=%d ns, drawing=%d ns;"
                  .formatted(idle, busy)
              + " measure on a quiet machine");
    }
    return (busy - idle) / entries;
  }

  private static void idle(Duration time) throws InterruptedException {
    Object nobody = new Object();
    long end = System.nanoTime() + time.toNanos();
    synchronized (nobody) {
      for (long left = time.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
        nobody.wait(left);
      }
    }
  }

  /** Draws a new stream over the input, one block at a time; returns the number of blocks. */
  private long drawAll() throws Exception {
    Job job = job();
    new VdfsInputFormat<Object, Text>().getSplits(job);
    StreamId stream = StreamId.parse(job.getConfiguration().get(InputKeys.STREAM_ID));
    LedgerClient ledger = fileSystem.vdfsClient().ledger();
    StreamTask task = new StreamTask(stream, 0);
    int position = 0;
    while (!ledger.next(RunQuestion.oneBlock(task, position)).isEnd()) {
      position++;
    }
    return position;
  }

  private long cpuNanos() {
    long here =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    return here + cluster.cpuTime().toNanos();
  }

  private void print(Used used, long nanosPerEntry) throws IOException {
    long bytes = used.counter(StreamCounter.BYTES);
    long entries = used.counter(StreamCounter.LEDGER_CALLS);
    double taskMillis = used.counter(StreamCounter.TASK_MILLIS);
    System.out.printf(
        Locale.ROOT,
        """
        {"bytes": %d, "runs": %d, "entries": %d, "entriesPerGiB": %.1f, "runsAskedAhead": %d,
         "taskMillis": %.0f, "firstWaitMillis": %d, "ledgerWaitMillis": %d, "waitShare": %.5f,
         "cpuMillisPerEntry": %.3f, "jobCpuMillis": %d, "ledgerCpuShare": %.5f}
        """,
        bytes,
        used.counter(StreamCounter.RUNS),
        entries,
        (double) entries * GIB / bytes,
        used.counter(StreamCounter.RUNS_ASKED_AHEAD),
        taskMillis,
        used.counter(StreamCounter.FIRST_WAIT_MILLIS),
        used.counter(StreamCounter.LEDGER_WAIT_MILLIS),
        used.counter(StreamCounter.LEDGER_WAIT_MILLIS) / taskMillis,
        nanosPerEntry / 1e6,
        used.cpuNanos() / 1_000_000,
        (double) entries * nanosPerEntry / used.cpuNanos());
  }
}

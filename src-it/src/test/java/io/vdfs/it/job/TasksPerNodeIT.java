package io.vdfs.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.it.cluster.YarnTestCluster;
import io.vdfs.it.jobs.WaitingMapper;
import io.vdfs.mapreduce.VdfsInputFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobCounter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nodes that advertise twice as many vcores as they have cores, and two jobs: both run at once,
 * each with as many tasks on a node as that has cores, except for tasks that YARN placed elsewhere.
 * All tasks wait until all run, so the number of tasks on a node is the number that ran there at a
 * time.
 */
@Timeout(300)
class TasksPerNodeIT {
  private static final int NODES = 3;
  private static final int CORES = 2;
  private static final int FACTOR = 2;
  private static final int FILE_BYTES = 12 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  void shouldRunAsManyJobsAtOnceAsTheFactorSaysWithATaskPerCoreEach() throws Exception {
    ClusterSpec spec =
        new ClusterSpec(
            "cores",
            ClusterSpec.small("cores", NODES).hosts(),
            ClusterSpec.SMALL,
            CORES,
            1 << 20,
            Map.of());
    try (WorkDirectory directory = WorkDirectory.create("cores");
        VdfsTestCluster vdfs = VdfsTestCluster.start(spec);
        VdfsFileSystem fileSystem = (VdfsFileSystem) vdfs.newFileSystem();
        YarnTestCluster yarn = startYarn(vdfs, spec)) {
      write(fileSystem);
      java.nio.file.Path gates = directory.directory("gates");
      List<Job> jobs = new ArrayList<>();
      for (int number = 0; number < FACTOR; number++) {
        jobs.add(submit(yarn, gates, number));
      }
      for (Job job : jobs) {
        Await.until(
            "all tasks of " + job.getJobName(),
            LIMIT,
            () -> hosts(gates, job).size() == NODES * CORES);
        // with so many maps a limit would only make the master lose containers of failed ones
        assertEquals(0, limitThatTheMasterReads(fileSystem, job));
      }
      Map<Job, Long> beyond = new HashMap<>();
      for (Job job : jobs) {
        beyond.put(job, beyondCores(hosts(gates, job)));
      }
      WaitingMapper.release(gates);
      for (Job job : jobs) {
        Await.until("the end of " + job.getJobName(), LIMIT, job::isComplete);
        assertTrue(job.isSuccessful(), job.getJobName());
        long elsewhere = NODES * CORES - count(job, JobCounter.DATA_LOCAL_MAPS);
        assertTrue(
            beyond.get(job) <= elsewhere,
            () -> "beyond cores=" + beyond.get(job) + ", placed elsewhere=" + elsewhere);
      }
    }
  }

  /**
   * Tasks on nodes that have more of them than cores. No node is asked for that many, but YARN
   * gives a task another node after as many fruitless heartbeats as there are nodes, so after three
   * here.
   */
  private static long beyondCores(List<String> hosts) {
    return hosts.stream()
        .collect(Collectors.groupingBy(host -> host, Collectors.counting()))
        .values()
        .stream()
        .mapToLong(tasks -> Math.max(0, tasks - CORES))
        .sum();
  }

  private static long count(Job job, JobCounter counter) throws IOException {
    return job.getCounters().findCounter(counter).getValue();
  }

  /** Each ApplicationMaster has a vcore besides those of the tasks. */
  private static YarnTestCluster startYarn(VdfsTestCluster vdfs, ClusterSpec spec)
      throws Exception {
    Map<String, String> client = new HashMap<>(vdfs.clientProperties());
    client.put("fs.defaultFS", vdfs.uri().toString());
    return YarnTestCluster.start(
        client,
        spec.hosts(),
        Map.of(
            "yarn.scheduler.capacity.resource-calculator",
            "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
            "yarn.nodemanager.resource.cpu-vcores",
            Integer.toString(FACTOR * (CORES + 1)),
            "yarn.nodemanager.resource.memory-mb",
            "8192"));
  }

  private static void write(VdfsFileSystem fileSystem) throws IOException {
    byte[] line = "all work and no play\n".getBytes(StandardCharsets.US_ASCII);
    try (FSDataOutputStream out = fileSystem.create(JobClusters.INPUT)) {
      for (int written = 0; written < FILE_BYTES; written += line.length) {
        out.write(line);
      }
    }
  }

  private static Job submit(YarnTestCluster yarn, java.nio.file.Path gates, int number)
      throws Exception {
    Configuration conf = yarn.configuration();
    conf.set(WaitingMapper.DIRECTORY, gates.toString());
    Job job = Job.getInstance(conf, "waiting-" + number);
    job.setInputFormatClass(VdfsInputFormat.class);
    job.setMapperClass(WaitingMapper.class);
    job.setNumReduceTasks(0);
    FileInputFormat.setInputPaths(job, JobClusters.INPUT);
    FileOutputFormat.setOutputPath(job, new Path("/waited-" + number));
    job.submit();
    return job;
  }

  /** The hosts where the waiting tasks of a job run. */
  private static List<String> hosts(java.nio.file.Path gates, Job job) throws IOException {
    String prefix = job.getJobID().toString().replace("job_", "attempt_");
    try (Stream<java.nio.file.Path> files = Files.list(gates)) {
      List<String> hosts = new ArrayList<>();
      for (java.nio.file.Path file :
          files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList()) {
        hosts.add(Files.readString(file));
      }
      return hosts;
    }
  }

  /**
   * The ApplicationMaster reads the file that the client made of its settings after planning the
   * splits.
   */
  private static int limitThatTheMasterReads(VdfsFileSystem fileSystem, Job job)
      throws IOException {
    Configuration conf = new Configuration(false);
    try (InputStream file = fileSystem.open(new Path(job.getJobFile()))) {
      conf.addResource(file);
      return conf.getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0);
    }
  }
}

package io.vdfs.it.job;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.model.NodeId;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.it.cluster.YarnTestCluster;
import io.vdfs.it.jobs.StockExample;
import io.vdfs.mapreduce.VdfsInputFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Cluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Four VDFS nodes, three of them with a NodeManager; YARN with VDFS as its default filesystem; and
 * HDFS as the oracle. Both filesystems hold the same input. Confined to the test's thread.
 */
final class JobClusters implements AutoCloseable {
  static final Path INPUT = new Path("/in");

  private static final int NODES = 4;
  private static final int NODE_MANAGERS = 3;
  static final Duration JOB_LIMIT = Duration.ofMinutes(3);
  private static final int HDFS_BLOCK = 4 << 20;

  private final WorkDirectory directory;
  private final ClusterSpec spec;
  private final VdfsTestCluster vdfs;
  private final MiniDFSCluster hdfs;
  private final YarnTestCluster yarn;
  private final VdfsFileSystem fileSystem;
  private final JobInput input;

  private JobClusters(
      WorkDirectory directory,
      ClusterSpec spec,
      VdfsTestCluster vdfs,
      MiniDFSCluster hdfs,
      YarnTestCluster yarn,
      JobInput input)
      throws IOException {
    this.directory = directory;
    this.spec = spec;
    this.vdfs = vdfs;
    this.hdfs = hdfs;
    this.yarn = yarn;
    this.input = input;
    this.fileSystem = (VdfsFileSystem) vdfs.newFileSystem();
  }

  static JobClusters start() throws Exception {
    WorkDirectory directory = WorkDirectory.create("jobs");
    ClusterSpec spec = ClusterSpec.small("jobs", NODES);
    VdfsTestCluster vdfs = VdfsTestCluster.start(spec);
    Map<String, String> client = new HashMap<>(vdfs.clientProperties());
    client.put("fs.defaultFS", vdfs.uri().toString());
    YarnTestCluster yarn = YarnTestCluster.start(client, spec.hosts().subList(0, NODE_MANAGERS));
    JobInput input = JobInput.make(directory.directory("input"));
    JobClusters clusters =
        new JobClusters(directory, spec, vdfs, startHdfs(directory), yarn, input);
    input.putInto(clusters.fileSystem, INPUT);
    NestedInput.putInto(clusters.fileSystem);
    input.putInto(clusters.hdfs(), INPUT);
    return clusters;
  }

  private static MiniDFSCluster startHdfs(WorkDirectory directory) throws IOException {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.directory("hdfs").toString());
    conf.setInt("dfs.blocksize", HDFS_BLOCK);
    return new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
  }

  ClusterSpec spec() {
    return spec;
  }

  VdfsFileSystem vdfs() {
    return fileSystem;
  }

  FileSystem hdfs() throws IOException {
    return hdfs.getFileSystem();
  }

  YarnTestCluster yarn() {
    return yarn;
  }

  JobInput input() {
    return input;
  }

  /** The node whose host has no NodeManager. */
  NodeId tasklessNode() {
    return vdfs.nodeId(NODES - 1);
  }

  /** A directory that all tasks see. */
  java.nio.file.Path localDirectory(String name) throws IOException {
    return directory.directory(name);
  }

  /** Starts a program on the input in VDFS. */
  StockExample start(Program program, Map<String, String> options, Path output) throws IOException {
    return start(program, INPUT.toString(), options, output);
  }

  StockExample start(Program program, String from, Map<String, String> options, Path output)
      throws IOException {
    return StockExample.start(
        yarn.confDirectory(),
        output.getName(),
        program.exampleName(),
        options,
        program.arguments(from, output.toString()));
  }

  /** A job with logical splits on the input in VDFS and one reducer, to be submitted from here. */
  Job newJob(Map<String, String> options, Path output) throws IOException {
    Configuration conf = yarn.configuration();
    options.forEach(conf::set);
    Job job = Job.getInstance(conf, output.getName());
    job.setInputFormatClass(VdfsInputFormat.class);
    job.setNumReduceTasks(1);
    job.setOutputKeyClass(Text.class);
    FileInputFormat.setInputPaths(job, INPUT);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  FinishedJob await(StockExample example) throws IOException, InterruptedException {
    JobID first = example.await(JOB_LIMIT).get(0);
    return FinishedJob.of(job(first), fileSystem);
  }

  Job job(JobID id) throws IOException, InterruptedException {
    return new Cluster(yarn.configuration()).getJob(id);
  }

  /**
   * Runs a program on the same input with HDFS for everything, all tasks in its ApplicationMaster.
   */
  JobOutput runOnHdfs(Program program) throws IOException, InterruptedException {
    Path output = new Path("/out-" + program.exampleName());
    Map<String, String> options =
        Map.of(
            "fs.defaultFS",
            hdfs().getUri().toString(),
            MRJobConfig.JOB_UBERTASK_ENABLE,
            "true",
            MRJobConfig.JOB_UBERTASK_MAXBYTES,
            Long.toString(input.bytes()));
    try (StockExample example =
        StockExample.start(
            yarn.confDirectory(),
            "hdfs" + output.getName(),
            program.exampleName(),
            options,
            program.arguments(INPUT.toString(), output.toString()))) {
      example.await(JOB_LIMIT);
    }
    return JobOutput.read(hdfs(), output);
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
    yarn.close();
    hdfs.shutdown(true);
    vdfs.close();
    directory.close();
  }
}

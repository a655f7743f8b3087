package io.vdfs.it.quickstart;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Settings of YARN and of the jobs that differ from Hadoop's defaults. Stateless. */
final class HadoopSettings {
  /** Vcores for each processor: enough that a node with a third of two processors has two. */
  static final int OVERCOMMIT = 3;

  private static final int AM_MB = 768;

  /** More than the ApplicationMaster, so that a node never has room for a task too many. */
  private static final int TASK_MB = 1024;

  private static final int UBER_BYTES = 4 << 20;
  private static final String JVM = " -XX:+UseSerialGC -Xshare:auto";

  private HadoopSettings() {}

  /** A user's additions to core-site.xml: the filesystem, here for everything. */
  static Map<String, String> fileSystem(String zooKeeper) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("fs.vdfs.impl", "io.vdfs.client.hadoop.VdfsFileSystem");
    settings.put("fs.AbstractFileSystem.vdfs.impl", "io.vdfs.client.hadoop.VdfsAbstractFileSystem");
    settings.put("fs.vdfs.cluster." + DataNodes.CLUSTER + ".zookeeper", zooKeeper);
    settings.put("fs.defaultFS", "vdfs://" + DataNodes.CLUSTER + "/");
    return settings;
  }

  /**
   * A small YARN with room for an ApplicationMaster and one task per core on each node.
   *
   * @param classPath of containers
   */
  static Map<String, String> yarn(RunDirectory run, List<Path> classPath, int cores) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("hadoop.tmp.dir", run.temporary().toString());
    settings.put("yarn.resourcemanager.hostname", "127.0.0.1");
    for (String server : List.of("", "scheduler.", "resource-tracker.", "admin.", "webapp.")) {
      settings.put("yarn.resourcemanager." + server + "address", "127.0.0.1:0");
    }
    settings.put("yarn.scheduler.minimum-allocation-mb", "128");
    settings.put("yarn.nodemanager.resource.memory-mb", Integer.toString(TASK_MB * cores + AM_MB));
    settings.putAll(overcommit());
    settings.put("yarn.scheduler.capacity.root.queues", "default");
    settings.put("yarn.scheduler.capacity.root.default.capacity", "100");
    settings.put("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
    settings.put(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    settings.put("yarn.scheduler.capacity.node-locality-delay", "20");
    settings.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    settings.put("yarn.nodemanager.vmem-check-enabled", "false");
    settings.put(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.9");
    settings.put("yarn.nodemanager.sleep-delay-before-sigkill.ms", "100");
    // an ApplicationMaster that the reaper has killed must not come back
    settings.put("yarn.resourcemanager.am.max-attempts", "1");
    // short rounds for short jobs
    settings.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "250");
    settings.put("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "250");
    settings.put("mapreduce.client.completion.pollinterval", "250");
    settings.put("yarn.client.app-submission.poll-interval", "100");
    settings.put(
        "yarn.application.classpath",
        run.conf() + "," + classPath.stream().map(Path::toString).collect(Collectors.joining(",")));
    return settings;
  }

  /** Each node has its part of the machine's processors, and more vcores than that. */
  private static Map<String, String> overcommit() {
    Map<String, String> settings = new TreeMap<>();
    settings.put(
        "yarn.nodemanager.container-state-transition-listener.classes",
        "io.vdfs.yarn.OvercommitListener");
    settings.put("vdfs.yarn.overcommit.factor", Integer.toString(OVERCOMMIT));
    settings.put("yarn.nodemanager.resource.count-logical-processors-as-cores", "true");
    settings.put(
        "yarn.nodemanager.resource.percentage-physical-cpu-limit",
        Integer.toString(100 / Quickstart.NODES));
    return settings;
  }

  /** Jobs in containers that fit a small machine. */
  static Map<String, String> mapReduce(RunDirectory run) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("mapreduce.framework.name", "yarn");
    settings.put("mapreduce.application.classpath", run.conf().toString());
    settings.put("mapreduce.jobhistory.address", "127.0.0.1:0");
    settings.put("mapreduce.jobhistory.webapp.address", "127.0.0.1:0");
    settings.put("mapreduce.jobhistory.admin.address", "127.0.0.1:0");
    settings.put("mapreduce.shuffle.port", "0");
    settings.put("yarn.app.mapreduce.am.staging-dir", "/tmp/hadoop-yarn/staging");
    settings.put("yarn.app.mapreduce.am.resource.mb", Integer.toString(AM_MB));
    settings.put("yarn.app.mapreduce.am.command-opts", "-Xmx384m -XX:TieredStopAtLevel=1" + JVM);
    for (String task : List.of("map", "reduce")) {
      settings.put("mapreduce." + task + ".memory.mb", Integer.toString(TASK_MB));
      settings.put("mapreduce." + task + ".java.opts", "-Xmx448m" + JVM);
    }
    // cores are few: reduce tasks would only wait on them
    settings.put("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    // the second job of grep, which sorts what was found, fits into its ApplicationMaster
    settings.put("mapreduce.job.ubertask.enable", "true");
    settings.put("mapreduce.job.ubertask.maxbytes", Integer.toString(UBER_BYTES));
    return settings;
  }
}

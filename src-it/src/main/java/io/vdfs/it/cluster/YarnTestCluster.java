package io.vdfs.it.cluster;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;

/**
 * YARN in this JVM: a ResourceManager, a job history server, and NodeManagers that each have a host
 * of their own among the loopback addresses and room for two containers. Staging, history and logs
 * lie on the default filesystem of the configuration it is given. Confined to the thread that
 * started it.
 */
public final class YarnTestCluster implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final int CONTAINER_MB = 512;
  private static final int CONTAINERS_PER_NODE = 2;
  private static final String CONTAINER_JVM =
      "-Xmx256m " + String.join(" ", JavaCommand.QUICK_START);

  /** Held, as java.util.logging forgets loggers without references. */
  private static final List<Logger> QUIET =
      List.of(Logger.getLogger("com.sun.jersey"), Logger.getLogger("com.google.inject"));

  private final WorkDirectory directory;
  private final MiniMRYarnCluster master;
  private final YarnClient client;
  private final Map<String, NodeManager> nodeManagers = new TreeMap<>();

  private YarnTestCluster(WorkDirectory directory, MiniMRYarnCluster master, YarnClient client) {
    this.directory = directory;
    this.master = master;
    this.client = client;
  }

  /**
   * @param fileSystem settings that a client of the default filesystem needs, and {@code
   *     fs.defaultFS}
   * @param hosts of the NodeManagers, as {@link ClusterSpec#hosts}
   */
  public static YarnTestCluster start(Map<String, String> fileSystem, List<String> hosts)
      throws Exception {
    return start(fileSystem, hosts, Map.of());
  }

  /**
   * @param settings that differ from those of other test clusters
   */
  public static YarnTestCluster start(
      Map<String, String> fileSystem, List<String> hosts, Map<String, String> settings)
      throws Exception {
    QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
    WorkDirectory directory = WorkDirectory.create("yarn");
    System.setProperty("test.build.data", directory.directory("master").toString());
    MiniMRYarnCluster master = new MiniMRYarnCluster("master", 0);
    YarnTestCluster cluster = new YarnTestCluster(directory, master, YarnClient.createYarnClient());
    boolean up = false;
    try {
      cluster.startMaster(fileSystem, settings);
      for (String host : hosts) {
        cluster.launchNodeManager(host);
      }
      cluster.awaitNodeManagers();
      up = true;
      return cluster;
    } finally {
      if (!up) {
        cluster.close();
      }
    }
  }

  private void startMaster(Map<String, String> fileSystem, Map<String, String> settings)
      throws IOException {
    Configuration conf = new YarnConfiguration();
    fileSystem.forEach(conf::set);
    settings(conf.get("fs.defaultFS")).forEach(conf::set);
    settings.forEach(conf::set);
    master.init(conf);
    master.start();
    writeConfiguration();
    client.init(configuration());
    client.start();
  }

  /** All settings that differ from Hadoop's defaults: small containers, quick rounds. */
  private static Map<String, String> settings(String defaultFileSystem) {
    Map<String, String> settings = new HashMap<>();
    settings.put("yarn.app.mapreduce.am.staging-dir", "/staging");
    // fully qualified, so that jobs of another default filesystem report to the same place
    settings.put(
        "mapreduce.jobhistory.intermediate-done-dir", defaultFileSystem + "history/intermediate");
    settings.put("mapreduce.jobhistory.done-dir", defaultFileSystem + "history/done");
    settings.put("yarn.log-aggregation-enable", "true");
    settings.put("yarn.nodemanager.remote-app-log-dir", "/logs");
    settings.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");

    settings.put("yarn.scheduler.minimum-allocation-mb", Integer.toString(CONTAINER_MB));
    settings.put(
        "yarn.nodemanager.resource.memory-mb",
        Integer.toString(CONTAINER_MB * CONTAINERS_PER_NODE));
    settings.put("yarn.nodemanager.resource.cpu-vcores", "8");
    settings.put("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
    settings.put("yarn.scheduler.capacity.root.queues", "default");
    settings.put("yarn.scheduler.capacity.root.default.capacity", "100");
    settings.put("yarn.scheduler.capacity.root.default.ordering-policy", "fair");
    settings.put("yarn.scheduler.capacity.node-locality-delay", "5");
    settings.put("yarn.app.mapreduce.am.resource.mb", Integer.toString(CONTAINER_MB));
    settings.put("yarn.app.mapreduce.am.command-opts", CONTAINER_JVM);
    settings.put("mapreduce.map.memory.mb", Integer.toString(CONTAINER_MB));
    settings.put("mapreduce.reduce.memory.mb", Integer.toString(CONTAINER_MB));
    settings.put("mapreduce.map.java.opts", CONTAINER_JVM);
    settings.put("mapreduce.reduce.java.opts", CONTAINER_JVM);
    settings.put("mapreduce.task.io.sort.mb", "32");

    settings.put("yarn.nodemanager.container-monitor.enabled", "false");
    settings.put(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.5");
    settings.put("yarn.nodemanager.sleep-delay-before-sigkill.ms", "100");
    settings.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "100");
    settings.put("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "200");
    settings.put("mapreduce.client.completion.pollinterval", "50");
    settings.put("mapreduce.client.progressmonitor.pollinterval", "200");

    // a test that wants these sets them itself
    settings.put("mapreduce.map.speculative", "false");
    settings.put("mapreduce.reduce.speculative", "false");
    settings.put("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    return settings;
  }

  /** Every *-site.xml holds everything: each overrides the defaults that are loaded before it. */
  private void writeConfiguration() throws IOException {
    Map<String, String> all = new HashMap<>();
    for (Map.Entry<String, String> property : master.getConfig()) {
      all.put(property.getKey(), property.getValue());
    }
    for (String name : List.of("core", "hdfs", "mapred", "yarn")) {
      SiteXml.write(confDirectory().resolve(name + "-site.xml"), all);
    }
  }

  /** Holds the configuration files of the cluster, for the class path of its clients. */
  public Path confDirectory() throws IOException {
    return directory.directory("conf");
  }

  /** A client's configuration. */
  public Configuration configuration() {
    return new Configuration(master.getConfig());
  }

  private void launchNodeManager(String host) throws IOException {
    Configuration conf = new YarnConfiguration(master.getConfig());
    for (String address : List.of("address", "localizer.address", "webapp.address")) {
      conf.set("yarn.nodemanager." + address, host + ":0");
    }
    conf.set("yarn.nodemanager.hostname", host);
    Path home = directory.directory("node-" + host);
    conf.set("yarn.nodemanager.local-dirs", home.resolve("local").toString());
    conf.set("yarn.nodemanager.log-dirs", home.resolve("containers").toString());
    NodeManager nodeManager = new NodeManager();
    nodeManagers.put(host, nodeManager);
    withSiteFiles(
        () -> {
          nodeManager.init(conf);
          nodeManager.start();
        });
  }

  /** Localizers read a configuration of their own from the class path of the NodeManager. */
  private void withSiteFiles(Runnable action) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader usual = thread.getContextClassLoader();
    URL[] conf = {confDirectory().toUri().toURL()};
    // lives as long as the threads that the action starts
    thread.setContextClassLoader(new URLClassLoader(conf, usual));
    try {
      action.run();
    } finally {
      thread.setContextClassLoader(usual);
    }
  }

  /** Ends a NodeManager with all its containers and its map outputs. */
  public void stopNodeManager(String host) throws Exception {
    NodeManager stopped = nodeManagers.remove(host);
    if (stopped == null) {
      throw new IllegalStateException("no NodeManager runs there: host=" + host);
    }
    stopped.stop();
    WorkDirectory.delete(directory.directory("node-" + host));
    awaitNodeManagers();
  }

  /** Starts a NodeManager on a host whose own was stopped. */
  public void startNodeManager(String host) throws Exception {
    launchNodeManager(host);
    awaitNodeManagers();
  }

  private void awaitNodeManagers() throws Exception {
    List<String> expected = List.copyOf(nodeManagers.keySet());
    Await.until(
        "NodeManagers at " + expected,
        START_LIMIT,
        () ->
            client.getNodeReports(NodeState.RUNNING).stream()
                .map(report -> report.getNodeId().getHost())
                .sorted()
                .toList()
                .equals(expected));
  }

  /** Hosts of the running NodeManagers. */
  public Set<String> hosts() {
    return Set.copyOf(nodeManagers.keySet());
  }

  /** Host of a running application's ApplicationMaster. */
  public String applicationMasterHost(ApplicationId application) throws IOException, YarnException {
    return client.getApplicationReport(application).getHost();
  }

  /** How many ApplicationMasters an application has had so far. */
  public int applicationMasters(ApplicationId application) throws IOException, YarnException {
    return client.getApplicationReport(application).getCurrentApplicationAttemptId().getAttemptId();
  }

  /** Takes a container from a running application, as the scheduler does for another queue. */
  public void preempt(ContainerId container) {
    CapacityScheduler scheduler =
        (CapacityScheduler) master.getResourceManager().getResourceScheduler();
    scheduler.markContainerForKillable(scheduler.getRMContainer(container));
  }

  /** Whether no node has room for another container, as the scheduler sees it. */
  public boolean isFull() {
    CapacityScheduler scheduler =
        (CapacityScheduler) master.getResourceManager().getResourceScheduler();
    return scheduler.getNodeTracker().getAllNodes().stream()
        .allMatch(node -> node.getUnallocatedResource().getMemorySize() < CONTAINER_MB);
  }

  /** Waits until no application holds a container any more. */
  public void awaitIdle() throws Exception {
    Await.until("idle YARN", START_LIMIT, () -> applications().isEmpty());
  }

  private List<?> applications() throws IOException, YarnException {
    return client.getApplications(
        EnumSet.of(
            YarnApplicationState.NEW,
            YarnApplicationState.NEW_SAVING,
            YarnApplicationState.SUBMITTED,
            YarnApplicationState.ACCEPTED,
            YarnApplicationState.RUNNING));
  }

  @Override
  public void close() throws IOException {
    List<AutoCloseable> parts = new ArrayList<>();
    parts.add(client);
    parts.addAll(nodeManagers.values());
    nodeManagers.clear();
    parts.add(master);
    parts.add(directory);
    Closing.all(parts);
  }
}

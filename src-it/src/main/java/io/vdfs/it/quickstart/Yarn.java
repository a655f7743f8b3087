package io.vdfs.it.quickstart;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;

/**
 * YARN inside this JVM: a ResourceManager, a NodeManager for each host, and the job history server
 * that clients ask about finished jobs. Ends with the JVM; containers are processes, which the
 * reaper ends. Confined to the main thread.
 */
final class Yarn {
  private static final Duration START_LIMIT = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final RunDirectory run;
  private final Map<String, String> settings;
  private final ResourceManager resourceManager = new ResourceManager();

  private Yarn(RunDirectory run, Map<String, String> settings) {
    this.run = run;
    this.settings = settings;
  }

  /**
   * Starts all but the job history server. From then on {@code new Configuration()} is that of a
   * client, also in threads that YARN starts.
   */
  static Yarn start(RunDirectory run, List<NodeHost> hosts, Map<String, String> settings)
      throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    useConfigurationOf(run);
    Yarn yarn = new Yarn(run, new TreeMap<>(settings));
    yarn.startResourceManager();
    for (int node = 1; node <= hosts.size(); node++) {
      yarn.startNodeManager(node, hosts.get(node - 1));
    }
    return yarn;
  }

  private static void useConfigurationOf(RunDirectory run) throws MalformedURLException {
    Thread thread = Thread.currentThread();
    URL[] conf = {run.conf().toUri().toURL()};
    // lives as long as the threads of YARN, which are never stopped
    thread.setContextClassLoader(new URLClassLoader(conf, thread.getContextClassLoader()));
  }

  private void startResourceManager() throws IOException {
    Files.copy(
        VdfsInstallation.file("src-it/quickstart/client-log4j.properties"),
        run.conf().resolve("log4j.properties"));
    writeSiteFiles();
    resourceManager.init(new YarnConfiguration());
    resourceManager.start();
    for (String server : List.of("", "scheduler.", "resource-tracker.", "admin.", "webapp.")) {
      String key = "yarn.resourcemanager." + server + "address";
      settings.put(key, resourceManager.getConfig().get(key));
    }
    writeSiteFiles();
  }

  /** Every file holds everything, so that none is hidden by defaults that are loaded after it. */
  private void writeSiteFiles() throws IOException {
    for (String name : List.of("core", "mapred", "yarn")) {
      SiteFiles.write(run.conf().resolve(name + "-site.xml"), settings);
    }
  }

  private void startNodeManager(int node, NodeHost host) {
    Configuration conf = new YarnConfiguration();
    conf.set("yarn.nodemanager.hostname", host.name());
    for (String server : List.of("", "localizer.", "webapp.", "collector-service.")) {
      conf.set("yarn.nodemanager." + server + "address", host.address() + ":0");
    }
    conf.set("yarn.nodemanager.local-dirs", run.nodeManagerLocal(node).toString());
    conf.set("yarn.nodemanager.log-dirs", run.containerLogs(node).toString());
    NodeManager nodeManager = new NodeManager();
    nodeManager.init(conf);
    nodeManager.start();
  }

  /** To be called once the default filesystem serves: finished jobs are kept there. */
  void startJobHistory() throws IOException {
    JobHistoryServer history = new JobHistoryServer();
    history.init(new YarnConfiguration());
    history.start();
    for (String server : List.of("", "webapp.", "admin.")) {
      String key = "mapreduce.jobhistory." + server + "address";
      settings.put(key, history.getConfig().get(key));
    }
    writeSiteFiles();
  }

  /**
   * @throws QuickstartException if not all NodeManagers register in time
   */
  void awaitNodes(int nodes, Screen screen) throws QuickstartException {
    long start = System.nanoTime();
    while (registeredNodes() < nodes) {
      String state = registeredNodes() + " of " + nodes + " NodeManagers are up";
      if (System.nanoTime() - start > START_LIMIT.toNanos()) {
        throw new QuickstartException(state + " after " + START_LIMIT.toSeconds() + " s");
      }
      screen.progress(state);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private int registeredNodes() {
    return resourceManager.getResourceScheduler().getNumClusterNodes();
  }

  /** Vcores that all nodes advertise together. */
  int vcores() {
    return resourceManager.getRMContext().getRMNodes().values().stream()
        .mapToInt(node -> node.getTotalCapability().getVirtualCores())
        .sum();
  }

  /** All applications so far, in the order of their submission. */
  List<RMApp> applications() {
    return resourceManager.getRMContext().getRMApps().values().stream()
        .sorted(Comparator.comparing(RMApp::getApplicationId))
        .toList();
  }
}

package io.vdfs.it.cluster;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * A ResourceManager, or a pair of which one is active, and NodeManagers in processes of their own,
 * with their web pages; in one JVM these would share one web server's routes. Each keeps its ports
 * and its state over a restart. Confined to the thread that made it.
 */
public final class YarnDaemons implements AutoCloseable {
  private static final int FIRST_PORT = 10_000;
  private static final int PORTS = 20_000;
  private static final AtomicInteger NEXT_PORT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

  /** How long a daemon may take to start. */
  public static final Duration START_LIMIT = Duration.ofSeconds(90);

  private static final String MASTER =
      "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager";
  private static final String MASTER_NAME = "master";
  private static final String NODE = "org.apache.hadoop.yarn.server.nodemanager.NodeManager";
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final List<String> MASTER_PORTS =
      List.of("", "scheduler.", "resource-tracker.", "admin.", "webapp.");
  private static final List<String> NODE_PORTS = List.of("", "localizer.", "webapp.");

  private static final List<String> PAIR = List.of("rm1", "rm2");

  private final WorkDirectory directory;
  private final Map<String, String> settings;
  private final List<String> masters;
  private final Map<String, Map<String, String>> nodeSettings = new HashMap<>();
  private final Map<String, LoggedProcess> processes = new TreeMap<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private String active = ""; // name of the active ResourceManager

  private YarnDaemons(WorkDirectory directory, Map<String, String> settings, List<String> masters) {
    this.directory = directory;
    this.settings = settings;
    this.masters = masters;
  }

  /** Starts the ResourceManager; returns when it answers. */
  public static YarnDaemons start(Map<String, String> wanted) throws Exception {
    WorkDirectory directory = WorkDirectory.create("yarn-daemons");
    Map<String, String> settings = new HashMap<>(common(directory));
    for (String server : MASTER_PORTS) {
      settings.put("yarn.resourcemanager." + server + "address", "127.0.0.1:" + freePort());
    }
    settings.putAll(wanted);
    return start(new YarnDaemons(directory, settings, List.of(MASTER_NAME)));
  }

  /**
   * Starts two ResourceManagers, one of which takes over when the other one ends; returns when one
   * is active.
   *
   * @param zooKeeper address of the ensemble that decides which one is
   */
  public static YarnDaemons startPair(Map<String, String> wanted, String zooKeeper)
      throws Exception {
    WorkDirectory directory = WorkDirectory.create("yarn-daemons");
    Map<String, String> settings = new HashMap<>(common(directory));
    settings.put("yarn.resourcemanager.ha.enabled", "true");
    settings.put("yarn.resourcemanager.ha.rm-ids", String.join(",", PAIR));
    settings.put("yarn.resourcemanager.cluster-id", "pair");
    settings.put("hadoop.zk.address", zooKeeper);
    settings.put("hadoop.zk.timeout-ms", "4000");
    settings.put(
        "yarn.resourcemanager.store.class",
        "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore");
    for (String master : PAIR) {
      for (String server : MASTER_PORTS) {
        settings.put(
            "yarn.resourcemanager." + server + "address." + master, "127.0.0.1:" + freePort());
      }
    }
    settings.putAll(wanted);
    return start(new YarnDaemons(directory, settings, PAIR));
  }

  private static YarnDaemons start(YarnDaemons daemons) throws Exception {
    boolean up = false;
    try {
      for (String master : daemons.masters) {
        daemons.launchMaster(master);
      }
      daemons.awaitActive();
      up = true;
      return daemons;
    } finally {
      if (!up) {
        daemons.close();
      }
    }
  }

  private static Map<String, String> common(WorkDirectory directory) throws IOException {
    Map<String, String> settings = new HashMap<>();
    settings.put("hadoop.tmp.dir", directory.directory("tmp").toString());
    settings.put("yarn.scheduler.minimum-allocation-mb", "128");
    settings.put("yarn.scheduler.maximum-allocation-vcores", "256");
    settings.put("yarn.app.mapreduce.am.resource.mb", "512");
    settings.put("yarn.scheduler.capacity.root.queues", "default");
    settings.put("yarn.scheduler.capacity.root.default.capacity", "100");
    settings.put("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    settings.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "200");
    settings.put("yarn.resourcemanager.recovery.enabled", "true");
    settings.put(
        "yarn.resourcemanager.store.class",
        "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore");
    settings.put(
        "yarn.resourcemanager.fs.state-store.uri", directory.directory("state").toUri().toString());
    settings.put("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "0");
    settings.put("yarn.nodemanager.recovery.enabled", "true");
    settings.put("yarn.nodemanager.recovery.supervised", "true");
    settings.put("yarn.nodemanager.vmem-check-enabled", "false");
    settings.put("yarn.nodemanager.resourcemanager.connect.retry-interval.ms", "500");
    settings.put("yarn.resourcemanager.connect.retry-interval.ms", "500");
    settings.put(
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "99.5");
    return settings;
  }

  /**
   * A port that a daemon can have again after a restart: below those that the system gives to
   * connections and to servers that take any.
   */
  private static int freePort() throws IOException {
    for (int tries = 0; tries < PORTS; tries++) {
      int port = FIRST_PORT + Math.floorMod(NEXT_PORT.getAndIncrement(), PORTS);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // the port is taken
      }
    }
    throw new IOException("no port is free: first=%d, ports=%d".formatted(FIRST_PORT, PORTS));
  }

  /** Starts killed ResourceManagers again; returns when one is active. */
  public void startResourceManager() throws Exception {
    for (String master : masters) {
      if (!processes.containsKey(master)) {
        launchMaster(master);
      }
    }
    awaitActive();
  }

  private void launchMaster(String master) throws IOException {
    Map<String, String> own = new HashMap<>(settings);
    if (masters.size() > 1) {
      own.put("yarn.resourcemanager.ha.id", master);
    }
    launch(master, MASTER, own);
  }

  /**
   * Waits until one of the ResourceManagers that run is active, and takes pages from there.
   *
   * @return its name
   */
  public String awaitActive() throws Exception {
    Await.until("an active ResourceManager", START_LIMIT, this::findActive);
    return active;
  }

  private boolean findActive() throws IOException, InterruptedException {
    for (String master : masters) {
      if (processes.containsKey(master) && requireAlive(master) && isActive(master)) {
        active = master;
        return true;
      }
    }
    return false;
  }

  private boolean isActive(String master) throws InterruptedException {
    try {
      return get(page(master, "cluster/info")).contains("\"haState\":\"ACTIVE\"");
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Starts a NodeManager; returns when its page answers.
   *
   * @param host as {@link ClusterSpec#hosts}
   * @param wanted settings of this NodeManager alone
   */
  public void addNode(String host, Map<String, String> wanted) throws Exception {
    Map<String, String> own = new HashMap<>(settings);
    own.put("yarn.nodemanager.hostname", host);
    for (String server : NODE_PORTS) {
      own.put("yarn.nodemanager." + server + "address", host + ":" + freePort());
    }
    Path home = directory.directory("node-" + host);
    own.put("yarn.nodemanager.local-dirs", home.resolve("local").toString());
    own.put("yarn.nodemanager.log-dirs", home.resolve("containers").toString());
    own.put("yarn.nodemanager.recovery.dir", home.resolve("recovery").toString());
    own.putAll(wanted);
    nodeSettings.put(host, own);
    startNode(host);
  }

  /** Starts a killed NodeManager again. */
  public void startNode(String host) throws Exception {
    launch(host, NODE, nodeSettings.get(host));
    Await.until(
        "the NodeManager at " + host,
        START_LIMIT,
        () -> requireAlive(host) && answers(nodePage(host, "ws/v1/node/info")));
  }

  private boolean requireAlive(String name) throws IOException {
    LoggedProcess process = processes.get(name);
    if (!process.isAlive()) {
      throw new IllegalStateException(name + " has ended:\n" + process.tail());
    }
    return true;
  }

  private void launch(String name, String mainClass, Map<String, String> own) throws IOException {
    Path conf = directory.directory("conf-" + name);
    SiteXml.write(conf.resolve("core-site.xml"), Map.of());
    // each overrides the defaults that are loaded before it
    SiteXml.write(conf.resolve("yarn-site.xml"), own);
    SiteXml.write(conf.resolve("mapred-site.xml"), own);
    // else one from a jar of Hadoop would count
    SiteXml.write(conf.resolve("capacity-scheduler.xml"), capacityScheduler(own));
    Files.writeString(
        conf.resolve("log4j.properties"),
        """
        log4j.rootLogger=WARN, console
        log4j.logger.io.vdfs=INFO
        log4j.appender.console=org.apache.log4j.ConsoleAppender
        log4j.appender.console.layout=org.apache.log4j.PatternLayout
        log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
        """);
    List<String> command = new ArrayList<>(JavaCommand.of(conf, "256m", mainClass, List.of()));
    // Guice, under YARN's web pages, reaches into java.lang
    command.addAll(
        1,
        List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true",
            "-Dlog4j.configuration=" + conf.resolve("log4j.properties").toUri()));
    processes.put(name, LoggedProcess.start(name, directory.path(), command, Map.of()));
  }

  private static Map<String, String> capacityScheduler(Map<String, String> all) {
    Map<String, String> own = new HashMap<>(all);
    own.keySet().removeIf(key -> !key.startsWith("yarn.scheduler.capacity."));
    return own;
  }

  /** Sends SIGKILL to the active ResourceManager. */
  public void killResourceManager() throws IOException, InterruptedException {
    processes.remove(active).kill();
  }

  /** Sends SIGKILL to a NodeManager; its containers live on. */
  public void killNode(String host) throws IOException, InterruptedException {
    processes.remove(host).kill();
  }

  /** The log of a NodeManager since its first start. */
  public String log(String host) throws IOException {
    return processes.get(host).output();
  }

  /** A client's configuration. */
  public Configuration configuration() {
    Configuration conf = new YarnConfiguration();
    settings.forEach(conf::set);
    return conf;
  }

  /** Holds the configuration files of a daemon: {@code master} or a host. */
  public Path confDirectory(String name) throws IOException {
    return directory.directory("conf-" + name);
  }

  /** Address of a page of the active ResourceManager below {@code /ws/v1/}. */
  public URI masterPage(String path) {
    return page(active, path);
  }

  private URI page(String master, String path) {
    String key = "yarn.resourcemanager.webapp.address" + (masters.size() > 1 ? "." + master : "");
    return URI.create("http://" + settings.get(key) + "/ws/v1/" + path);
  }

  /** Address of a page of a NodeManager. */
  public URI nodePage(String host, String path) {
    return URI.create(
        "http://" + nodeSettings.get(host).get("yarn.nodemanager.webapp.address") + "/" + path);
  }

  private boolean answers(URI page) throws InterruptedException {
    try {
      return !get(page).isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * @return the JSON of a page
   * @throws IOException if it has none
   */
  public String get(URI page) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(page)
                .timeout(ANSWER_LIMIT)
                .header("Accept", "application/json")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("no page: " + page + ", status=" + answer.statusCode());
    }
    return answer.body();
  }

  @Override
  public void close() throws IOException {
    List<AutoCloseable> parts = new ArrayList<>(processes.values());
    processes.clear();
    parts.add(directory);
    Closing.all(parts);
  }
}

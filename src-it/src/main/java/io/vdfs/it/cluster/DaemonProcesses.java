package io.vdfs.it.cluster;

import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A cluster whose DataNodes are processes of their own, started by {@code bin/vdfs-daemon} as in
 * production. Confined to the thread that started it; its filesystems are thread-safe.
 */
public final class DaemonProcesses implements AutoCloseable {
  private static final String JVM_OPTIONS =
      "-Xmx256m -XX:MaxDirectMemorySize=128m " + String.join(" ", JavaCommand.QUICK_START);

  private final ClusterGround ground;
  private final Map<Integer, LoggedProcess> running = new TreeMap<>();
  private final Map<Integer, Instant> launched = new TreeMap<>();
  private final Map<Integer, List<String>> launchers = new TreeMap<>();

  private DaemonProcesses(ClusterGround ground) {
    this.ground = ground;
  }

  /** Starts ZooKeeper at most: no cluster is formatted, no node runs. */
  public static DaemonProcesses unformatted(ClusterSpec spec) throws Exception {
    return new DaemonProcesses(ClusterGround.start(spec));
  }

  /** Starts ZooKeeper and all nodes; returns when files can be written. */
  public static DaemonProcesses start(ClusterSpec spec) throws Exception {
    DaemonProcesses cluster = unformatted(spec);
    boolean serving = false;
    try {
      cluster.format();
      for (int node : spec.nodes()) {
        cluster.launch(node);
      }
      cluster.awaitServing();
      serving = true;
      return cluster;
    } finally {
      if (!serving) {
        cluster.close();
      }
    }
  }

  /** Formats the cluster, as {@code vdfs format} does. */
  public void format() throws IOException {
    ground.format();
  }

  public URI uri() {
    return ground.uri();
  }

  /** A client's configuration, with the cluster as its default filesystem. */
  public Configuration configuration() {
    return ground.configuration();
  }

  /** A client of its own; the caller closes it. */
  public FileSystem newFileSystem() throws IOException {
    return FileSystem.newInstance(uri(), configuration());
  }

  /** The settings with which a client finds the cluster by its name. */
  public Map<String, String> clientProperties() {
    return ground.clientProperties();
  }

  public NodeId nodeId(int node) throws IOException {
    return ground.nodeId(node);
  }

  /** Programs that know the cluster as their default filesystem. */
  public ClientJvm newClientJvm(String name) throws IOException {
    return newClientJvm(name, Map.of());
  }

  /** The same with more properties of {@code core-site.xml}. */
  public ClientJvm newClientJvm(String name, Map<String, String> more) throws IOException {
    Map<String, String> properties = new TreeMap<>(ground.clientProperties());
    properties.putAll(more);
    properties.put("fs.defaultFS", uri().toString());
    return ClientJvm.create(directory().directory(name), properties);
  }

  /** All {@code vdfs.*} keys of a node. */
  public Map<String, String> nodeProperties(int node) {
    return ground.nodeProperties(node);
  }

  public Path dataDirectory(int node) {
    return ground.dataDirectory(node);
  }

  /** Where the node's volumes are, each of which may be a disk of its own. */
  public List<Path> volumes(int node) {
    return ground.volumes(node);
  }

  /** Name under which a node is known. */
  public String host(int node) {
    return ground.spec().hosts().get(node);
  }

  /** Directory for everything that is removed with the cluster. */
  public WorkDirectory directory() {
    return ground.directory();
  }

  /** Starts a node with its usual settings; {@link #awaitServing} waits for it. */
  public void launch(int node) throws IOException {
    launch(node, nodeProperties(node));
  }

  /** As {@link #launch(int)}, with other settings. */
  public void launch(int node, Map<String, String> properties) throws IOException {
    launched.put(node, Instant.now());
    Path conf = configure("node" + node, properties);
    running.put(
        node, launch("node" + node, launchers.getOrDefault(node, List.of()), conf, List.of()));
  }

  /**
   * Has a node launched through a command from now on, which must turn into the daemon as {@code
   * env} does.
   *
   * @param command with its arguments, before which the daemon's script comes to stand
   */
  public void launchThrough(int node, List<String> command) {
    launchers.put(node, List.copyOf(command));
  }

  /**
   * Starts a daemon with any settings. The caller closes it.
   *
   * @param name of its configuration directory and logs
   * @param arguments for the daemon, besides its configuration
   */
  public LoggedProcess launch(String name, Map<String, String> properties, String... arguments)
      throws IOException {
    return launch(name, configure(name, properties), arguments);
  }

  private Path configure(String name, Map<String, String> properties) throws IOException {
    Path conf = directory().directory("conf-" + name);
    SiteXml.write(conf.resolve("vdfs-site.xml"), properties);
    return conf;
  }

  /** Starts a daemon with the settings in {@code confDirectory}. The caller closes it. */
  public LoggedProcess launch(String name, Path confDirectory, String... arguments)
      throws IOException {
    return launch(name, List.of(), confDirectory, List.of(arguments));
  }

  private LoggedProcess launch(
      String name, List<String> launcher, Path confDirectory, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.add(VdfsHome.daemonScript().toString());
    command.addAll(List.of("--conf", confDirectory.toString()));
    command.addAll(arguments);
    Files.copy(
        VdfsHome.path().resolve("conf").resolve("log4j.properties"),
        confDirectory.resolve("log4j.properties"),
        StandardCopyOption.REPLACE_EXISTING);
    return LoggedProcess.start(
        name,
        directory().directory("logs"),
        command,
        Map.of("VDFS_DAEMON_OPTS", JVM_OPTIONS, "JAVA_HOME", System.getProperty("java.home")));
  }

  /**
   * Sends SIGKILL to a node's process.
   *
   * @return the process id it had; no process has it when this returns
   */
  public long kill(int node) throws IOException, InterruptedException {
    LoggedProcess killed = running.remove(node);
    if (killed == null) {
      throw new IllegalStateException("not running: node=" + node);
    }
    killed.kill();
    return killed.pid();
  }

  /** Process id of a node that runs. */
  public long pid(int node) {
    return running.get(node).pid();
  }

  /** All that a running node, and its processes before, have logged. */
  public String log(int node) throws IOException {
    return running.get(node).error();
  }

  /** CPU time that the running nodes have used so far. */
  public Duration cpuTime() {
    return running.values().stream()
        .map(
            node ->
                ProcessHandle.of(node.pid()).flatMap(handle -> handle.info().totalCpuDuration()))
        .map(Optional::orElseThrow)
        .reduce(Duration.ZERO, Duration::plus);
  }

  /** Suspends a node's process, as SIGSTOP does, until {@link #thaw} is called. */
  public void freeze(int node) throws Exception {
    Signals.stop(running.get(node).pid());
  }

  /** Resumes a frozen node. */
  public void thaw(int node) throws IOException, InterruptedException {
    Signals.resume(running.get(node).pid());
  }

  /**
   * Has ZooKeeper end the session of a node, which keeps running.
   *
   * @return the session that ended
   */
  public long expireSession(int node) throws Exception {
    return ground.expireSession(node);
  }

  /** Deletes all data in ZooKeeper, whatever runs; it is back when this returns. */
  public void wipeZooKeeper() throws Exception {
    ground.wipeZooKeeper();
  }

  /** Ends ZooKeeper and starts it again, with its data. */
  public void restartZooKeeper() throws Exception {
    ground.restartZooKeeper();
  }

  /** Deletes a znode of the cluster and all below it: {@code "ring"}, or {@code ""} for all. */
  public void deleteZnode(String name) throws Exception {
    ground.deleteZnode(name);
  }

  /** Waits until a node's process ends by itself. */
  public String awaitEnd(int node, Duration limit) throws IOException, InterruptedException {
    try (LoggedProcess ended = running.remove(node)) {
      ended.awaitExit(limit);
      return ended.error();
    }
  }

  /**
   * Waits until a node's daemon says that it serves, or has ended by itself.
   *
   * @return whether it serves
   */
  public boolean awaitServiceOrEnd(int node, Duration limit) throws Exception {
    LoggedProcess daemon = running.get(node);
    Await.until(
        "node" + node + " to serve or to end",
        limit,
        () -> !daemon.isAlive() || daemon.errorOfItsOwn().contains("DataNode serves"));
    return daemon.isAlive();
  }

  /** The session behind the record of a node in ZooKeeper; empty if there is none. */
  public OptionalLong session(int node) throws Exception {
    return ground.session(node);
  }

  /** Starts a node on its old directories, unless it runs, and waits for it. */
  public void restart(int node) throws Exception {
    if (!running.containsKey(node)) {
      launch(node);
    }
    awaitServing();
  }

  /** Waits until all running nodes are known, as they run now, and metadata is served. */
  public void awaitServing() throws Exception {
    try {
      Map<Integer, Instant> awaited = new TreeMap<>(launched);
      awaited.keySet().retainAll(running.keySet());
      ground.awaitServing(awaited);
    } catch (IOException e) {
      throw new IOException(e.getMessage() + "\n" + logs(), e);
    }
  }

  /** The end of what each node has logged. */
  public String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (Map.Entry<Integer, LoggedProcess> node : running.entrySet()) {
      logs.append("--- node ").append(node.getKey()).append('\n').append(node.getValue().tail());
    }
    return logs.toString();
  }

  @Override
  public void close() throws IOException {
    List<AutoCloseable> parts = new ArrayList<>(running.values());
    running.clear();
    parts.add(ground);
    Closing.all(parts);
  }
}

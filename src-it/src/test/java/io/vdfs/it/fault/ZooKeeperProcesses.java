package io.vdfs.it.fault;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.JavaCommand;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.Signals;
import io.vdfs.it.cluster.WorkDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/**
 * An ensemble of ZooKeeper servers, each a process of its own. Confined to the thread that started
 * it.
 */
final class ZooKeeperProcesses implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";

  /** Ports of a server: for clients, for followers, and for elections. */
  private record Ports(int client, int follower, int election) {}

  private final WorkDirectory directory;
  private final String host;
  private final List<Ports> ports = new ArrayList<>();
  private final Map<Integer, LoggedProcess> running = new TreeMap<>();

  private ZooKeeperProcesses(WorkDirectory directory, String host) {
    this.directory = directory;
    this.host = host;
  }

  /**
   * Returns when clients are served.
   *
   * @param host an address of this machine
   */
  static ZooKeeperProcesses start(int servers, String host) throws Exception {
    ZooKeeperProcesses started = new ZooKeeperProcesses(WorkDirectory.create("zookeepers"), host);
    try {
      for (int server = 0; server < servers; server++) {
        started.ports.add(new Ports(started.freePort(), started.freePort(), started.freePort()));
      }
      started.launchAll();
      started.awaitServing();
      return started;
    } catch (Exception e) {
      started.close();
      throw e;
    }
  }

  private int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return socket.getLocalPort();
    }
  }

  /** What clients and nodes are configured with. */
  String addresses() {
    return ports.stream().map(port -> host + ":" + port.client()).collect(Collectors.joining(","));
  }

  private void launchAll() throws IOException {
    for (int server = 0; server < ports.size(); server++) {
      launch(server);
    }
  }

  private void launch(int server) throws IOException {
    Path home = directory.directory("server" + server);
    Path data = directory.directory("server" + server + "/data");
    Files.writeString(data.resolve("myid"), server + "\n");
    StringBuilder settings =
        new StringBuilder(
            """
            tickTime=1000
            initLimit=30
            syncLimit=10
            admin.enableServer=false
            maxClientCnxns=0
            dataDir=%s
            clientPort=%d
            clientPortAddress=%s
            """
                .formatted(data, ports.get(server).client(), host));
    if (ports.size() > 1) {
      for (int peer = 0; peer < ports.size(); peer++) {
        Ports port = ports.get(peer);
        settings.append(
            "server.%d=%s:%d:%d%n".formatted(peer, host, port.follower(), port.election()));
      }
    }
    Path file = home.resolve("zoo.cfg");
    Files.writeString(file, settings);
    running.put(
        server,
        LoggedProcess.start(
            "zookeeper" + server,
            home,
            JavaCommand.of(home, "96m", MAIN, List.of(file.toString())),
            Map.of()));
  }

  private void awaitServing() throws Exception {
    ZooKeeper client = new ZooKeeper(addresses(), 10_000, event -> {});
    try {
      Await.until(
          "ZooKeeper",
          LIMIT,
          () -> {
            try {
              return client.getState() == ZooKeeper.States.CONNECTED
                  && client.exists("/", false) != null;
            } catch (KeeperException e) {
              return false;
            }
          });
    } finally {
      client.close();
    }
  }

  /** Suspends a server for a while. */
  void stop(int server, Duration time) throws Exception {
    long pid = running.get(server).pid();
    Signals.stop(pid);
    try {
      Await.passing(time);
    } finally {
      Signals.resume(pid);
    }
  }

  /** Ends all servers. */
  void killAll() throws IOException, InterruptedException {
    for (LoggedProcess server : running.values()) {
      server.kill();
    }
    running.clear();
  }

  /** Deletes what the servers hold, none of which runs. */
  void wipe() throws IOException {
    for (int server = 0; server < ports.size(); server++) {
      WorkDirectory.delete(directory.path().resolve("server" + server).resolve("data"));
    }
  }

  /** Starts all servers again; returns when clients are served. */
  void restartAll() throws Exception {
    launchAll();
    awaitServing();
  }

  @Override
  public void close() throws IOException {
    for (LoggedProcess server : running.values()) {
      server.close();
    }
    directory.close();
  }
}

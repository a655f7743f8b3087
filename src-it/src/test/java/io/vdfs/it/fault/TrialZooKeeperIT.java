package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.SiteXml;
import io.vdfs.it.cluster.VdfsHome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/vdfs zookeeper} is enough to format a cluster, and keeps it. */
@Timeout(180)
class TrialZooKeeperIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path directory;

  @Test
  void shouldKeepAClusterOverARestart() throws Exception {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    int port = freePort();
    SiteXml.write(
        conf.resolve("vdfs-site.xml"),
        Map.of("vdfs.zookeeper", "127.0.0.1:" + port, "vdfs.data.dirs", directory + "/data"));
    try (LoggedProcess server = startServer("first", port)) {
      awaitListening(server, port);
      assertEquals(0, format("format", conf).awaitExit(LIMIT));
    }
    try (LoggedProcess server = startServer("second", port)) {
      awaitListening(server, port);
      LoggedProcess again = format("again", conf);
      assertEquals(1, again.awaitExit(LIMIT));
      assertTrue(again.error().contains("--force"), again.error());
    }
  }

  private LoggedProcess startServer(String name, int port) throws IOException {
    return start(
        name,
        "zookeeper",
        "--data",
        directory.resolve("zookeeper").toString(),
        "--port",
        Integer.toString(port));
  }

  private LoggedProcess format(String name, Path conf) throws IOException {
    return start(name, "format", "--conf", conf.toString(), "--nodes", "1");
  }

  private LoggedProcess start(String name, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(VdfsHome.path().resolve("bin/vdfs").toString());
    command.addAll(List.of(arguments));
    return LoggedProcess.start(
        name, directory, command, Map.of("JAVA_HOME", System.getProperty("java.home")));
  }

  private static void awaitListening(LoggedProcess server, int port) throws Exception {
    Await.until(
        "ZooKeeper to listen",
        LIMIT,
        () -> {
          assertTrue(server.isAlive(), server.tail());
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (IOException e) {
            return false;
          }
        });
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

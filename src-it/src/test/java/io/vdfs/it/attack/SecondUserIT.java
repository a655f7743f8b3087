package io.vdfs.it.attack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What another user of the nodes' machine can read of them and take over. Needs root, to become
 * another user, so only the Maven profile {@code root} runs it, and it fails there without root.
 *
 * <p>before: the Raft log disclosed all names, the index all checksums.
 */
@Tag("root")
@Timeout(300)
class SecondUserIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("second-user", 3);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String NAME = "/a-name-that-nobody-else-knows";
  private static final byte[] CONTENT = "what is in it".getBytes(UTF_8);

  /** Listens at ports and echoes what it receives. */
  private static final String IMPOSTOR =
      """
      import java.io.*;
      import java.net.*;

      public class Impostor {
        public static void main(String[] arguments) throws Exception {
          for (int i = 1; i < arguments.length; i++) {
            ServerSocket server = new ServerSocket();
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[i])));
            new Thread(() -> accept(server)).start();
          }
          System.out.println("listening");
        }

        static void accept(ServerSocket server) {
          while (true) {
            try {
              Socket socket = server.accept();
              new Thread(() -> echo(socket)).start();
            } catch (IOException e) {
              return;
            }
          }
        }

        static void echo(Socket socket) {
          try (socket) {
            InputStream in = socket.getInputStream();
            byte[] bytes = new byte[4096];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
              System.out.println("asked");
              socket.getOutputStream().write(bytes, 0, read);
            }
          } catch (IOException e) {
            System.out.println("cut off");
          }
        }
      }
      """;

  private DaemonProcesses cluster;
  private FileSystem files;

  @BeforeEach
  void start() throws Exception {
    cluster = DaemonProcesses.start(SPEC);
    files = cluster.newFileSystem();
    write(NAME);
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      files.close();
      cluster.close();
    }
  }

  private void write(String path) throws IOException {
    try (FSDataOutputStream out = files.create(new org.apache.hadoop.fs.Path(path))) {
      out.write(CONTENT);
      out.hsync();
    }
  }

  private byte[] read(String path) throws IOException {
    try (FSDataInputStream in = files.open(new org.apache.hadoop.fs.Path(path))) {
      return in.readAllBytes();
    }
  }

  private static List<String> asAnotherUser(Object... command) {
    List<String> line =
        new ArrayList<>(
            List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    Stream.of(command).map(Object::toString).forEach(line::add);
    return line;
  }

  private static boolean canAnotherUser(Object... command) throws Exception {
    return new ProcessBuilder(asAnotherUser(command))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  /**
   * A directory that other users may enter: the test's own is its user's alone, unlike an
   * operator's.
   */
  private Path openedDirectory() throws IOException {
    return Files.setPosixFilePermissions(
        cluster.directory().path(), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void shouldReadNothingThatANodeKeepsToItself() throws Exception {
    Path work = openedDirectory();
    Path data = cluster.dataDirectory(0);
    Path control = Files.writeString(data.resolve("control"), "anybody may read this");
    Files.setPosixFilePermissions(control, PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(canAnotherUser("cat", control), "the way to the node's files is open");

    List<Path> kept = new ArrayList<>();
    kept.add(work.resolve("cluster.key"));
    for (String below : List.of("metadata", "blocks")) {
      try (Stream<Path> all = Files.walk(data.resolve(below))) {
        all.filter(Files::isRegularFile).forEach(kept::add);
      }
    }
    for (String expected : List.of("cluster.key", "log_inprogress", "block-index", ".vcf")) {
      assertTrue(
          kept.stream().anyMatch(file -> file.getFileName().toString().contains(expected)),
          () -> expected + " is among " + kept);
    }
    for (Path file : kept) {
      assertFalse(canAnotherUser("cat", file), () -> "can be read: " + file);
      if (file.startsWith(data)) {
        assertFalse(canAnotherUser("ls", file.getParent()), () -> "can be listed: " + file);
      }
    }
    assertFalse(canAnotherUser("touch", data.resolve("metadata/foreign")));
    assertFalse(canAnotherUser("ls", data.resolve("local")));
    Files.delete(control);
  }

  @Test
  void shouldLoseNothingToAListenerAtTheAddressOfANode() throws Exception {
    RingNode node = ringNode(2);
    cluster.kill(2);
    openedDirectory();
    Path sources = cluster.directory().directory("impostor");
    Path source = Files.writeString(sources.resolve("Impostor.java"), IMPOSTOR);
    Files.setPosixFilePermissions(source, PosixFilePermissions.fromString("rw-r--r--"));
    try (LoggedProcess impostor =
        LoggedProcess.start(
            "impostor",
            sources,
            asAnotherUser(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                source,
                node.host(),
                node.controlPort(),
                node.dataPort(),
                node.raftPort()),
            Map.of())) {
      Await.until("the impostor", LIMIT, () -> impostor.output().contains("listening"));
      Await.until("somebody who asks it", LIMIT, () -> impostor.output().contains("asked"));
      assertArrayEquals(CONTENT, read(NAME));
      write("/meanwhile");
      assertArrayEquals(CONTENT, read("/meanwhile"));
      assertTrue(impostor.isAlive());
      impostor.kill();
    }
    cluster.launch(2);
    cluster.awaitServing();
    assertEquals(node.id(), cluster.nodeId(2));
    assertArrayEquals(CONTENT, read(NAME));
    assertArrayEquals(CONTENT, read("/meanwhile"));
  }

  private RingNode ringNode(int node) throws IOException {
    String zooKeeper = cluster.nodeProperties(node).get("vdfs.zookeeper");
    try (VdfsClient client = AdminClients.open(SPEC.name(), zooKeeper, "/vdfs")) {
      return client.cluster().ring().nodes().get(cluster.nodeId(node));
    }
  }
}

package io.vdfs.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.VdfsTestCluster;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The classes that {@code hadoop fs} loads for one small question, in a JVM of its own: every
 * container pays for each class at its start.
 */
@Timeout(120)
class ClientStartIT {
  private static final String TEXT = "a few bytes";
  private static final String FILE = "/client-start/small";

  private static final Pattern LOADED = Pattern.compile("\\] (\\S+) source: ");

  /**
   * Classes that only a long-running process needs, or that generate code at run time where it
   * could be written.
   */
  private static final List<String> NEVER =
      List.of(
          "org.apache.curator.",
          "sun.security.ssl.",
          "java.lang.runtime.ObjectMethods",
          "io.netty.channel.DefaultChannelId");

  private static VdfsTestCluster cluster;

  @TempDir Path directory;

  @BeforeAll
  static void write() throws IOException {
    cluster = SharedCluster.get();
    try (FileSystem fs = cluster.newFileSystem();
        OutputStream out = fs.create(new org.apache.hadoop.fs.Path(FILE))) {
      out.write(TEXT.getBytes(UTF_8));
    }
  }

  @AfterAll
  static void delete() throws IOException {
    try (FileSystem fs = cluster.newFileSystem()) {
      fs.delete(new org.apache.hadoop.fs.Path(FILE).getParent(), true);
    }
  }

  @Test
  void shouldListWithoutZooKeeperAndNettyWhereNodesAreListed() throws Exception {
    Configuration settings = cluster.configuration();
    settings.set(
        "fs.vdfs.cluster." + cluster.uri().getAuthority() + ".nodes",
        cluster.host(1) + ":" + cluster.controlPort(1));

    List<String> loaded = run(settings, "-ls", FILE, " " + FILE + "\n");

    assertNone(loaded, NEVER);
    assertNone(loaded, List.of("org.apache.zookeeper.", "io.netty."));
  }

  @Test
  void shouldReadWithLittleOfZooKeeperAndNetty() throws Exception {
    List<String> loaded = run(cluster.configuration(), "-cat", FILE, TEXT);

    assertTrue(loaded.contains("org.apache.zookeeper.ZooKeeper"), "this way was taken");
    assertTrue(loaded.contains("io.netty.channel.socket.nio.NioSocketChannel"), "and this one");
    assertNone(loaded, NEVER);
  }

  private static void assertNone(List<String> loaded, List<String> prefixes) {
    assertEquals(
        List.of(),
        loaded.stream().filter(name -> prefixes.stream().anyMatch(name::startsWith)).toList());
  }

  /** Runs {@code hadoop fs}, whose output has to end as given, and returns the classes loaded. */
  private List<String> run(Configuration settings, String command, String path, String expectedEnd)
      throws Exception {
    try (OutputStream site = Files.newOutputStream(directory.resolve("core-site.xml"))) {
      settings.writeXml(site);
    }
    Path classes = directory.resolve("classes");
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xlog:class+load:file=" + classes));
    String classPath = directory + File.pathSeparator + System.getProperty("java.class.path");
    line.addAll(List.of("-cp", classPath, FsShell.class.getName(), command, path));
    Process process =
        new ProcessBuilder(line)
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertEquals(0, process.waitFor(), () -> text(errors));
    } finally {
      process.destroyForcibly();
    }
    assertTrue(text(output).endsWith(expectedEnd), text(output));
    List<String> loaded = new ArrayList<>();
    Matcher names = LOADED.matcher(Files.readString(classes));
    while (names.find()) {
      loaded.add(names.group(1));
    }
    assertTrue(loaded.contains("io.vdfs.client.hadoop.VdfsFileSystem"), "the log was read");
    return loaded;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}

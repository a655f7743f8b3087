package io.vdfs.it.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.WorkDirectory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every error in settings, directories, ports or the cluster's name is reported in one line that
 * names the value and the cure; the process ends with an exit code other than 0 and leaves the disk
 * as it was.
 */
@Timeout(120)
class BadInputIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final ClusterSpec SPEC = ClusterSpec.small("bad", 1);

  /** Lines that the log may have besides the error; a stack trace is no such line. */
  private static final Pattern LOG_LINE =
      Pattern.compile("(\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d:\\d\\d[.,]\\d{3} (INFO|WARN) ");

  private static DaemonProcesses formatted;
  private static WorkDirectory work;
  private static int cases;

  private Path data;

  @BeforeAll
  static void startZooKeeper() throws Exception {
    formatted = DaemonProcesses.unformatted(SPEC);
    formatted.format();
    work = WorkDirectory.create("bad-input");
  }

  @AfterAll
  static void stopZooKeeper() throws IOException {
    if (formatted != null) {
      formatted.close();
    }
    if (work != null) {
      work.close();
    }
  }

  @BeforeEach
  void chooseDataDirectory() {
    cases++;
    data = work.path().resolve("data" + cases);
  }

  @Test
  void shouldNameTheAddressWhenZooKeeperIsNotThere() throws Exception {
    assertRefused(
        with("vdfs.zookeeper", "127.0.0.1:1", "vdfs.zookeeper.connect.timeout", "2s"),
        "127.0.0.1:1",
        "vdfs.zookeeper");
  }

  @Test
  void shouldSayWhereNothingAnswersBeforeTheWaitForZooKeeperIsOver() throws Exception {
    ClientJvm client = clientOf("zk", "127.0.0.1:1", Map.of("fs.vdfs.zookeeper.timeout", "4s"));
    try (LoggedProcess shell = client.shell("-ls", "vdfs://zk/")) {
      assertLast(shell, "127.0.0.1:1", "fs.vdfs.cluster.zk.zookeeper", "waitedMs=4000");
      assertWarns(shell, "address=127.0.0.1:1, waitedMs=3000", "fs.vdfs.cluster.zk.zookeeper");
    }
    Map<String, String> properties =
        with("vdfs.zookeeper", "127.0.0.1:1", "vdfs.zookeeper.connect.timeout", "4s");
    try (LoggedProcess daemon = formatted.launch("case" + cases, properties)) {
      assertOneLine(daemon, "127.0.0.1:1", "vdfs.zookeeper", "waitedMs=4000");
      assertWarns(daemon, "address=127.0.0.1:1, waitedMs=3000", "vdfs.zookeeper");
    }
  }

  @Test
  void shouldNameAnUnknownHostOfZooKeeper() throws Exception {
    ClientJvm client =
        clientOf("zk", "nosuch.invalid:2181", Map.of("fs.vdfs.zookeeper.timeout", "1s"));
    try (LoggedProcess shell = client.shell("-ls", "vdfs://zk/")) {
      assertLast(shell, "unknownHosts=[nosuch.invalid]", "fs.vdfs.cluster.zk.zookeeper");
    }
  }

  @Test
  void shouldNameTheCommandWhenTheClusterIsNotFormatted() throws Exception {
    assertRefused(with("vdfs.cluster.name", "never-made"), "never-made", "vdfs format");
  }

  @ParameterizedTest
  @ValueSource(strings = {"vdfs.control.port", "vdfs.data.port", "vdfs.raft.port"})
  void shouldNameThePortWhenItIsInUse(String key) throws Exception {
    InetAddress host = InetAddress.getByName(SPEC.hosts().get(0));
    try (ServerSocket taken = new ServerSocket(0, 1, host)) {
      String port = Integer.toString(taken.getLocalPort());
      assertRefused(with(key, port), port, key);
    }
  }

  @Test
  void shouldNameTheKeyFileWhenOthersCanReadIt() throws Exception {
    Path open = work.path().resolve("key" + cases);
    Files.copy(Path.of(formatted.nodeProperties(0).get("vdfs.cluster.key.file")), open);
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertRefused(
        with("vdfs.cluster.key.file", open.toString()), open.toString(), "rw-r--r--", "chmod 600");
  }

  @Test
  void shouldNameTheDirectoryWhenItIsAFile() throws Exception {
    Files.writeString(data, "in the way");
    assertRefused(with("vdfs.data.dirs", data.toString()), data.toString());
  }

  @Test
  void shouldNameTheDirectoryWhenItCannotBeWritten() throws Exception {
    assertRefused(with("vdfs.data.dirs", "/proc/vdfs-data"), "/proc/vdfs-data");
  }

  @Test
  void shouldNameTheDirectoryWhenItHoldsOtherFiles() throws Exception {
    Files.createDirectories(data);
    Files.writeString(data.resolve("thesis.tex"), "precious");
    assertRefused(with("vdfs.data.dirs", data.toString()), data.toString());
  }

  @Test
  void shouldNameTheClusterWhenTheDirectoryBelongsToAnotherOne() throws Exception {
    try (DaemonProcesses other = DaemonProcesses.start(ClusterSpec.small("other", 1))) {
      other.kill(0);
      data = other.dataDirectory(0);
      assertRefused(with("vdfs.data.dirs", data.toString()), data.toString(), "cluster");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "vdfs.node.cores,many",
    "vdfs.control.port,70000",
    "vdfs.zookeeper,no address",
    "vdfs.volume.reserve,12 parsecs",
    "vdfs.zookeeper.session.timeout,soon",
    "vdfs.data.dirs,relative/path",
    "vdfs.nod.cores,2"
  })
  void shouldNameKeyAndValueWhenAPropertyIsMalformed(String key, String value) throws Exception {
    assertRefused(with(key, value), key, key.equals("vdfs.nod.cores") ? key : value);
  }

  @Test
  void shouldNameTheFileWhenItIsNoXml() throws Exception {
    Path conf = work.directory("conf" + cases);
    Files.writeString(conf.resolve("vdfs-site.xml"), "<configuration><property></configuration>");
    try (LoggedProcess daemon = formatted.launch("xml", conf)) {
      assertOneLine(daemon, conf.resolve("vdfs-site.xml").toString());
    }
  }

  @Test
  void shouldNameTheFileWhenItIsMissing() throws Exception {
    Path conf = work.directory("conf" + cases);
    try (LoggedProcess daemon = formatted.launch("missing", conf)) {
      assertOneLine(daemon, conf.resolve("vdfs-site.xml").toString());
    }
  }

  @Test
  void shouldNameTheKeyWhenAClientDoesNotKnowTheCluster() throws Exception {
    ClientJvm client = formatted.newClientJvm("client" + cases);
    try (LoggedProcess shell = client.shell("-ls", "vdfs://nosuch/")) {
      assertOneLine(shell, "nosuch", "fs.vdfs.cluster.nosuch.zookeeper");
    }
  }

  @Test
  void shouldNameTheClusterWhenZooKeeperDoesNotKnowIt() throws Exception {
    String zooKeeper = formatted.nodeProperties(0).get("vdfs.zookeeper");
    ClientJvm client = clientOf("nosuch", zooKeeper, Map.of());
    try (LoggedProcess shell = client.shell("-ls", "vdfs://nosuch/")) {
      assertOneLine(
          shell, "no such cluster: name=nosuch", "[bad]", "fs.vdfs.cluster.nosuch.zookeeper");
    }
  }

  @Test
  void shouldLeaveNothingWhenTheDiskIsFull() throws Exception {
    ClusterSpec full = ClusterSpec.small("full", 1).with("vdfs.volume.reserve", "100000g");
    Path file = work.path().resolve("file" + cases);
    Files.write(file, new byte[3 << 20]);
    try (DaemonProcesses cluster = DaemonProcesses.start(full)) {
      assertTrue(cluster.logs().contains("volume is full and takes no new blocks"), cluster.logs());
      ClientJvm client = cluster.newClientJvm("client");
      try (LoggedProcess shell = client.shell("-put", file.toString(), "/file")) {
        assertOneLine(shell, "vdfs.volume.reserve");
      }
      try (LoggedProcess shell = client.shell("-ls", "-R", "/")) {
        assertEquals(0, shell.awaitExit(LIMIT), shell.tail());
        assertEquals("", shell.output());
      }
    }
  }

  private static ClientJvm clientOf(String cluster, String zooKeeper, Map<String, String> more)
      throws IOException {
    Map<String, String> settings = new TreeMap<>(more);
    settings.put("fs.vdfs.impl", "io.vdfs.client.hadoop.VdfsFileSystem");
    settings.put("fs.vdfs.cluster." + cluster + ".zookeeper", zooKeeper);
    return ClientJvm.create(work.directory("client" + cases), settings);
  }

  /** ZooKeeper's client is not the relocated one here, and may log before. */
  private static void assertLast(LoggedProcess shell, String... named)
      throws IOException, InterruptedException {
    assertNotEquals(0, shell.awaitExit(LIMIT), shell.tail());
    List<String> lines = shell.error().lines().toList();
    String last = lines.get(lines.size() - 1);
    assertTrue(last.startsWith("ls: cannot reach ZooKeeper: "), shell.error());
    assertTrue(Stream.of(named).allMatch(last::contains), last);
  }

  private static void assertWarns(LoggedProcess process, String... named) throws IOException {
    List<String> warnings =
        process.error().lines().filter(line -> line.contains(" WARN ")).toList();
    assertTrue(
        warnings.stream().anyMatch(line -> Stream.of(named).allMatch(line::contains)),
        process.error());
  }

  private Map<String, String> with(String... keysAndValues) {
    Map<String, String> properties = new TreeMap<>(formatted.nodeProperties(0));
    properties.put("vdfs.data.dirs", data.toString());
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return properties;
  }

  private void assertRefused(Map<String, String> properties, String... named)
      throws IOException, InterruptedException {
    List<String> before = listing(data);
    try (LoggedProcess daemon = formatted.launch("case" + cases, properties)) {
      assertOneLine(daemon, named);
    }
    assertEquals(before, listing(data));
  }

  private static void assertOneLine(LoggedProcess process, String... named)
      throws IOException, InterruptedException {
    assertNotEquals(0, process.awaitExit(LIMIT), process.tail());
    List<String> lines =
        process.error().lines().filter(line -> !LOG_LINE.matcher(line).lookingAt()).toList();
    assertEquals(1, lines.size(), process.error());
    String error = lines.get(0);
    for (String text : named) {
      assertTrue(error.contains(text), () -> "does not name " + text + ": " + error);
    }
  }

  /** Every file below {@code directory} with its size, content and time. */
  private static List<String> listing(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.sorted().map(BadInputIT::describe).toList();
    }
  }

  private static String describe(Path file) {
    try {
      FileTime modified = Files.getLastModifiedTime(file);
      String content =
          Files.isRegularFile(file)
              ? Integer.toString(new String(Files.readAllBytes(file), UTF_8).hashCode())
              : "";
      return file + " " + modified + " " + content;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}

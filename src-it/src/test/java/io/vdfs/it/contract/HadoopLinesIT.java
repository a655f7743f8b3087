package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsHome;
import io.vdfs.it.cluster.VdfsTestCluster;
import io.vdfs.it.tools.LineProbe;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.apache.commons.logging.LogFactory;
import org.apache.hadoop.fs.FileSystem;
import org.apache.log4j.LogManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.impl.StaticLoggerBinder;

/**
 * The jar beside the client libraries that Hadoop released: VDFS works with each, and other
 * filesystems work even if the JVM cannot use the jar. Each line of Hadoop runs in a JVM of its own
 * with the same configuration, all at once. {@code -Dvdfs.it.client.java=DIRECTORY} runs them on
 * another Java.
 */
@Timeout(180)
class HadoopLinesIT {
  private static final Path JAR = Path.of(System.getProperty("vdfs.hadoop.jar"));
  private static final Path JAVA =
      Path.of(
          System.getProperty("vdfs.it.client.java", System.getProperty("java.home")),
          "bin",
          "java");

  private static final String TOO_NEW = "3.4.1 with classes of a later Java";
  private static final String BASE = "/lines/";
  private static final Duration LIMIT = Duration.ofSeconds(150);

  private static final Set<String> BEFORE_3_3_5 =
      Set.of(
          "HadoopLine uses Options$OpenFileOptions",
          "JoinedRanges uses FileRange",
          "TracedRanges uses FileRange",
          "VectoredReads uses FileRange");
  private static final Set<String> BEFORE_3_4_1 =
      Set.of(
          "PagedBulkDelete uses BulkDelete",
          "PagedBulkDelete uses BulkDeleteUtils",
          "TracedBulkDelete uses BulkDelete",
          "TracingAbstractFileSystem uses"
              + " AbstractFileSystem.getEnclosingRoot(Lorg/apache/hadoop/fs/Path;)"
              + "Lorg/apache/hadoop/fs/Path;",
          "TracingFileSystem uses BulkDelete",
          "VdfsFileSystem uses BulkDelete");

  @TempDir static Path directory;

  private static final Map<String, LoggedProcess> probes = new TreeMap<>();
  private static String uri;

  @BeforeAll
  static void startProbes() throws Exception {
    VdfsTestCluster cluster = SharedCluster.get();
    uri = cluster.uri().toString().replaceFirst("/$", "");
    Path conf = ClientJvm.create(directory, cluster.clientProperties()).confDirectory();
    for (String line : List.of("3.3.4", "3.3.6", "3.4.1", "3.5.0")) {
      Path local = Files.createDirectory(directory.resolve("local-" + line));
      start(line, line, JAR, conf, "vdfs", uri + BASE + line, local.toString());
    }
    start(TOO_NEW, "3.4.1", tooNew(), conf, "others");
  }

  private static void start(String name, String line, Path jar, Path conf, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(JAVA.toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp"));
    command.add(classPath(line, jar, conf));
    command.add(LineProbe.class.getName());
    command.addAll(List.of(arguments));
    probes.put(name, LoggedProcess.start(name, directory, command, Map.of()));
  }

  /** Puts our jar first, so that its copy of Hadoop's interface is the one that is loaded. */
  private static String classPath(String line, Path jar, Path conf) throws URISyntaxException {
    List<Path> path = new ArrayList<>(List.of(conf, jar));
    path.addAll(libraries(line));
    for (Class<?> part :
        List.of(
            LineProbe.class,
            LoggerFactory.class,
            StaticLoggerBinder.class,
            LogManager.class,
            LogFactory.class)) {
      path.add(Path.of(part.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    return path.stream().map(Path::toString).collect(Collectors.joining(":"));
  }

  private static List<Path> libraries(String line) {
    Path home = VdfsHome.path().resolve("src-it/target/hadoop-lines").resolve(line);
    return Stream.of("api", "runtime")
        .map(part -> home.resolve("hadoop-client-" + part + "-" + line + ".jar"))
        .toList();
  }

  /**
   * The jar as a Java that is too old sees it: each class marked as of a later Java, and entries
   * for certain releases of Java moved to later ones.
   */
  private static Path tooNew() throws IOException {
    Path copy = directory.resolve("too-new.jar");
    try (JarFile jar = new JarFile(JAR.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(copy))) {
      out.setLevel(Deflater.NO_COMPRESSION);
      for (JarEntry entry : Collections.list(jar.entries())) {
        byte[] bytes = jar.getInputStream(entry).readAllBytes();
        if (entry.getName().endsWith(".class")) {
          bytes[6] = 1; // the higher byte of the major version
        }
        out.putNextEntry(
            new JarEntry(
                entry.getName().replace("META-INF/versions/17/", "META-INF/versions/99/")));
        out.write(bytes);
      }
    }
    return copy;
  }

  @AfterAll
  static void endProbes() throws IOException {
    for (LoggedProcess probe : probes.values()) {
      probe.close();
    }
    try (FileSystem fileSystem = SharedCluster.get().newFileSystem()) {
      fileSystem.delete(new org.apache.hadoop.fs.Path(BASE), true);
    }
  }

  private static Map<String, String> told(String name) throws Exception {
    LoggedProcess probe = probes.get(name);
    int code = probe.awaitExit(LIMIT);
    assertEquals(0, code, probe.tail());
    Map<String, String> told = new TreeMap<>();
    for (String line : probe.output().lines().toList()) {
      int end = line.indexOf('=');
      if (end > 0) {
        told.put(line.substring(0, end), line.substring(end + 1));
      }
    }
    return told;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.3.4", "3.3.6", "3.4.1", "3.5.0"})
  void shouldWorkBesideTheClientLibrariesOf(String line) throws Exception {
    boolean hasLeases = !line.equals("3.3.4");
    boolean hasBulk = !line.startsWith("3.3");
    String file = BASE + line + "/g";
    Map<String, String> expected = new TreeMap<>();
    expected.put("hadoop", line);
    expected.put("file", "LocalFileSystem");
    expected.put("hdfs", "DistributedFileSystem");
    expected.put("ours", "VdfsFileSystem");
    for (String command : List.of("mkdir", "put", "ls", "mv", "get")) {
      expected.put(command, "0");
    }
    expected.put("copied", "true");
    expected.put("context", "true");
    expected.put("reflection", "true");
    expected.put("fs.capability.etags.available", "true");
    expected.put("fs.capability.paths.truncate", "true");
    expected.put("fs.capability.lease.recoverable", Boolean.toString(hasLeases));
    expected.put("in:readvectored", Boolean.toString(hasLeases));
    expected.put("fs.capability.vectoredio.sliced", Boolean.toString(line.equals("3.5.0")));
    expected.put("leases", hasLeases ? "true" : "absent");
    expected.put("bulk", hasBulk ? "1000" : "absent");
    expected.put("ranges", hasLeases ? "written,beside" : "absent");
    expected.put("alias", "hdfs" + uri.substring(uri.indexOf(':')) + file);
    expected.put("alias.context", expected.get("alias"));
    expected.put("view", "viewfs://probe/data/g");
    expected.put("view.context", expected.get("view"));

    assertEquals(expected, told(line), () -> "line=" + line);
  }

  @Test
  void shouldLeaveOtherFilesystemsAloneWhereTheJvmIsTooOldForIt() throws Exception {
    Map<String, String> told = told(TOO_NEW);

    assertTrue(told.get("ours").contains("UnsupportedClassVersionError"), told::toString);
    assertEquals("LocalFileSystem", told.get("file"));
    assertEquals("DistributedFileSystem", told.get("hdfs"));
  }

  /** Uses of Hadoop that a line lacks are in classes that are not reached there. */
  @ParameterizedTest
  @ValueSource(strings = {"3.3.4", "3.3.6", "3.4.1", "3.5.0"})
  void shouldUseNothingMoreThatLacks(String line) throws IOException {
    Set<String> known = new TreeSet<>();
    if (line.equals("3.3.4")) {
      known.addAll(BEFORE_3_3_5);
    }
    if (line.startsWith("3.3")) {
      known.addAll(BEFORE_3_4_1);
    }

    Set<String> lacking =
        HadoopLinks.lacking(JAR, name -> name.matches("io/vdfs/(?!shaded/).*"), libraries(line));

    assertEquals(known, lacking, () -> "line=" + line);
  }
}

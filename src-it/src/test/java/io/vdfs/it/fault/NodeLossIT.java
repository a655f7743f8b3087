package io.vdfs.it.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.jobs.GatedTextInputFormat;
import io.vdfs.it.jobs.StockExample;
import io.vdfs.it.jobs.TaskGates;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.PositionBytes;
import io.vdfs.it.tools.UnclosedFiles;
import io.vdfs.it.tools.VerifyFiles;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any one of three daemons may be killed at any time, and clients end with files open. */
@Timeout(180)
class NodeLossIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("loss", 3);
  private static final int CHUNK = SPEC.geometry().chunkSize();
  private static final int BLOCK = SPEC.geometry().blockSize();
  private static final int GROUP = Math.toIntExact(SPEC.geometry().groupSize());
  private static final List<Integer> SIZES =
      List.of(
          0,
          1,
          CHUNK - 1,
          CHUNK,
          CHUNK + 1,
          BLOCK - 1,
          BLOCK,
          BLOCK + 1,
          GROUP - 1,
          GROUP,
          GROUP + 1,
          3 * GROUP + BLOCK + 7,
          10 * GROUP);

  private static final int BUILD_KILLS = 20;
  private static final Duration READ_BACK_LIMIT = Duration.ofSeconds(10);
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int PIECE = 100_000;
  private static final int WORDS = 400_000;
  private static final int DIFFERENT_WORDS = 1_000;

  private static final FileManifest MANIFEST = new FileManifest();
  private static final Random RANDOM = new Random(7);

  private static DaemonProcesses cluster;
  private static FileSystem fileSystem;

  @BeforeAll
  @Timeout(120)
  static void startCluster() throws Exception {
    cluster = DaemonProcesses.start(SPEC);
    fileSystem = FileSystem.newInstance(cluster.uri(), watchful());
    try (FSDataOutputStream out = fileSystem.create(path("/words/in"))) {
      for (int word = 0; word < WORDS; word++) {
        out.write(("w" + word % DIFFERENT_WORDS + "\n").getBytes(UTF_8));
      }
    }
  }

  /** The configuration of a client that soon asks again which nodes live. */
  private static Configuration watchful() {
    Configuration conf = cluster.configuration();
    conf.set("fs.vdfs.cluster.refresh.time", "1s");
    return conf;
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  /** By Hadoop's shutdown hook, which closes the cached filesystems. */
  @ParameterizedTest
  @ValueSource(strings = {"end", "wait"})
  void shouldCompleteTheFilesOfAClientThatEndsWithoutClosingThem(String ending) throws Exception {
    String path = "/unclosed-" + ending;
    List<Integer> lengths = List.of(0, 16, 8 * 1024, 2 * GROUP + 16_000);
    List<String> arguments = new ArrayList<>(List.of(ending, path));
    lengths.forEach(length -> arguments.add(length.toString()));
    try (LoggedProcess client =
        cluster
            .newClientJvm("unclosed-" + ending)
            .start(UnclosedFiles.class.getName(), arguments)) {
      Await.until("all written", LIMIT, () -> client.output().contains("written files=4"));
      if (ending.equals("wait")) {
        ProcessHandle.of(client.pid()).orElseThrow().destroy();
      }
      client.awaitExit(LIMIT);
      assertFalse(client.error().contains("not complete"), client.error());
    }
    for (int length : lengths) {
      org.apache.hadoop.fs.Path file = path(path + "-" + length);
      assertTrue(((VdfsFileSystem) fileSystem).isFileClosed(file), file::toString);
      try (FSDataInputStream in = fileSystem.open(file)) {
        assertArrayEquals(PositionBytes.of(0, length), in.readAllBytes());
      }
    }
  }

  /** Within Hadoop's limit of 30 s for its shutdown hook, whatever the nodes do. */
  @Test
  void shouldSayWhichFilesAreNotCompleteWhenNoNodeAnswers() throws Exception {
    VdfsFileSystem closing = (VdfsFileSystem) cluster.newFileSystem();
    org.apache.hadoop.fs.Path file = path("/given-up");
    FSDataOutputStream out = closing.create(file);
    out.write(randomBytes(PIECE));
    out.hsync();
    out.write(randomBytes(PIECE));
    for (int node = 0; node < 3; node++) {
      cluster.freeze(node);
    }
    long begun = System.nanoTime();
    IOException incomplete;
    Duration took;
    try {
      incomplete = assertThrows(IOException.class, closing::close);
      took = Duration.ofNanos(System.nanoTime() - begun);
    } finally {
      for (int node = 0; node < 3; node++) {
        cluster.thaw(node);
      }
    }
    assertTrue(took.compareTo(Duration.ofSeconds(30)) < 0, took::toString);
    assertTrue(incomplete.getMessage().contains("/given-up"), incomplete.getMessage());
    assertThrows(IOException.class, out::close, "it must not look complete to its writer");
    cluster.awaitServing();
    assertFalse(((VdfsFileSystem) fileSystem).isFileClosed(file));
  }

  /** One in the build, each in turn with {@code -Pkills}. */
  static List<Integer> killed() {
    boolean all = Integer.getInteger("vdfs.it.kills", BUILD_KILLS) > BUILD_KILLS;
    return all ? SPEC.nodes() : List.of(1);
  }

  @ParameterizedTest
  @MethodSource("killed")
  void shouldKeepEverythingWhenAnyNodeIsKilled(int node) throws Exception {
    writeFiles("/before" + node);
    byte[] longFile = randomBytes(6 * GROUP + 12_345);
    TaskGates gates = new TaskGates(cluster.directory().directory("gates" + node));
    try (StockExample job = startJob(node)) {
      gates.awaitStopped();
      try (FSDataOutputStream out = fileSystem.create(path("/long" + node))) {
        write(out, longFile, 0, longFile.length / 2);
        out.hflush();
        killAndReadBack(node);
        writeFiles("/after" + node);
        assertReadsAllInAJobThatIsSubmittedNow(node);
        write(out, longFile, longFile.length / 2, longFile.length);
      }
      MANIFEST.add("/long" + node, longFile);
      assertArrayEquals(longFile, read("/long" + node));
      gates.release();
      job.await(LIMIT);
      assertWordsCounted(node);
      readAllInAFreshJvm("before restart " + node);
    } finally {
      cluster.restart(node);
    }
    readAllInAFreshJvm("after restart " + node);
  }

  private static void killAndReadBack(int node) throws IOException, InterruptedException {
    long killedAt = System.nanoTime();
    long pid = cluster.kill(node);
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false), "pid " + pid);
    String verified = readAllInAFreshJvm("after kill " + node);
    Duration elapsed = Duration.ofNanos(System.nanoTime() - killedAt);
    assertTrue(
        elapsed.compareTo(READ_BACK_LIMIT) < 0,
        () -> "read back after " + elapsed + ": " + verified + "\n" + logs());
  }

  /** The dead node gets no tasks; its blocks are drawn by tasks on the others. */
  private static void assertReadsAllInAJobThatIsSubmittedNow(int node) throws Exception {
    Await.until(
        "the loss to be known",
        LIMIT,
        () -> ((VdfsFileSystem) fileSystem).vdfsClient().cluster().live().size() == 2);
    Job job = Job.getInstance(watchful());
    FileInputFormat.setInputPaths(job, "/words");
    VdfsInputFormat<LongWritable, Text> format = new VdfsInputFormat<>();
    List<InputSplit> splits = format.getSplits(job);
    int words = 0;
    for (int task = 0; task < splits.size(); task++) {
      assertFalse(List.of(splits.get(task).getLocations()).contains(SPEC.hosts().get(node)));
      TaskAttemptID attempt = new TaskAttemptID("submitted", node, TaskType.MAP, task, 0);
      TaskAttemptContext context = new TaskAttemptContextImpl(job.getConfiguration(), attempt);
      try (RecordReader<LongWritable, Text> reader =
          format.createRecordReader(splits.get(task), context)) {
        reader.initialize(splits.get(task), context);
        while (reader.nextKeyValue()) {
          words++;
        }
      }
    }
    assertEquals(WORDS, words);
  }

  private static String logs() {
    try {
      return cluster.logs();
    } catch (IOException e) {
      return "no logs: " + e;
    }
  }

  private static void writeFiles(String directory) throws IOException {
    for (int size : SIZES) {
      String file = directory + "/" + size;
      byte[] bytes = randomBytes(size);
      try (FSDataOutputStream out = fileSystem.create(path(file))) {
        write(out, bytes, 0, size);
      }
      MANIFEST.add(file, bytes);
    }
  }

  private static void write(FSDataOutputStream out, byte[] bytes, int from, int to)
      throws IOException {
    for (int start = from; start < to; start += PIECE) {
      out.write(bytes, start, Math.min(PIECE, to - start));
    }
  }

  private static byte[] read(String file) throws IOException {
    try (FSDataInputStream in = fileSystem.open(path(file))) {
      return in.readAllBytes();
    }
  }

  private static String readAllInAFreshJvm(String when) throws IOException, InterruptedException {
    ClientJvm jvm = cluster.newClientJvm("client-" + when.replace(' ', '-'));
    Path manifest = jvm.confDirectory().resolve("manifest");
    MANIFEST.save(manifest);
    try (LoggedProcess reader =
        jvm.start(VerifyFiles.class.getName(), List.of(manifest.toString()))) {
      assertEquals(0, reader.awaitExit(LIMIT), () -> when + ":\n" + tail(reader));
      String output = reader.output();
      assertTrue(output.contains("verified files=" + MANIFEST.size()), output);
      return output.lines().filter(line -> line.startsWith("verified")).findFirst().orElseThrow();
    }
  }

  private static String tail(LoggedProcess process) {
    try {
      return process.tail();
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  /** The stock word count in one JVM; its first task stops half-way. */
  private static StockExample startJob(int node) throws IOException {
    Map<String, String> options = new TreeMap<>();
    options.put("mapreduce.framework.name", "local");
    options.put("hadoop.tmp.dir", cluster.directory().directory("local" + node).toString());
    options.put("mapreduce.job.inputformat.class", VdfsInputFormat.class.getName());
    options.put(InputKeys.WRAPPED_FORMAT, GatedTextInputFormat.class.getName());
    options.put(TaskGates.DIRECTORY, cluster.directory().directory("gates" + node).toString());
    return StockExample.start(
        cluster.newClientJvm("job" + node).confDirectory(),
        "job" + node,
        "wordcount",
        options,
        List.of("/words", "/counted" + node));
  }

  private static void assertWordsCounted(int node) throws IOException {
    StringBuilder expected = new StringBuilder();
    IntStream.range(0, DIFFERENT_WORDS)
        .mapToObj(word -> "w" + word)
        .sorted()
        .forEach(word -> expected.append(word + "\t" + WORDS / DIFFERENT_WORDS + "\n"));
    String counted = new String(read("/counted" + node + "/part-r-00000"), UTF_8);
    assertEquals(expected.toString(), counted);
  }

  private static byte[] randomBytes(int size) {
    byte[] bytes = new byte[size];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static org.apache.hadoop.fs.Path path(String path) {
    return new org.apache.hadoop.fs.Path(path);
  }
}

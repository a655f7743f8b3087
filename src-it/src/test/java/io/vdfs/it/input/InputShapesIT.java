package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.trace.TracingFileSystem;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.client.trace.TraceReader;
import io.vdfs.client.trace.TraceRecord;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.VdfsInputFormat;
import io.vdfs.mapreduce.plan.InputPlan;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ConfigUtil;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inputs of unusual shape, and files that change while a job reads them. */
@Timeout(120)
class InputShapesIT {
  @TempDir private java.nio.file.Path traces;

  private static final int BLOCK = InputCluster.SPEC.geometry().blockSize();
  private static final String RECURSIVE = "mapreduce.input.fileinputformat.input.dir.recursive";
  private static final String IGNORE_DIRECTORIES =
      "mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs";
  private static final int SMALL_FILES = 2_000;
  private static final int WRITERS = 8;

  private static FileSystem fileSystem;
  private static InputFiles files;

  @BeforeAll
  @Timeout(120)
  static void open() throws IOException {
    fileSystem = InputCluster.newFileSystem();
    files = new InputFiles(fileSystem, 2);
    files.text("/tree/a", 2L * BLOCK, "\n", 60);
    files.text("/tree/deep/b", 2L * BLOCK, "\n", 60);
    files.text("/tree/deep/deeper/c", BLOCK + 1, "\n", 60);
    files.empty("/nothing/a");
    files.empty("/nothing/b");
  }

  @AfterAll
  static void close() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadNestedDirectories(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setBoolean(RECURSIVE, true);
    assertSame(api, conf, "/tree");
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveOutDirectoriesWhenTold(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setBoolean(IGNORE_DIRECTORIES, true);
    assertSame(api, conf, "/tree");
  }

  @ParameterizedTest
  @EnumSource
  void shouldSayWhatToDoAboutANestedDirectory(Api api) {
    Configuration conf = InputCluster.configuration();
    IOException refused =
        assertThrows(IOException.class, () -> api.planLogical(conf, text(api), "/tree"));
    assertTrue(refused.getMessage().contains("/tree/deep"), refused.getMessage());
    assertTrue(refused.getMessage().contains(RECURSIVE), refused.getMessage());
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadGlobsAndAFileNamedTwice(Api api) throws Exception {
    assertSame(api, InputCluster.configuration(), "/tree/deep/{b,deeper/*},/tree/[ab],/tree/a");
  }

  @ParameterizedTest
  @EnumSource
  void shouldDrawThroughATrace(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setBoolean(RECURSIVE, true);
    conf.setClass("fs.trace.impl", TracingFileSystem.class, FileSystem.class);
    conf.set("fs.trace.sink", traces.toUri().toString());
    String cluster = fileSystem.getUri().getAuthority();
    try {
      assertSame(api, conf, "trace://vdfs-" + cluster + "/tree");
    } finally {
      FileSystem.get(URI.create("trace://vdfs-" + cluster), conf).close();
    }
    long drawn = 0;
    try (Stream<java.nio.file.Path> files = Files.list(traces)) {
      for (java.nio.file.Path file : files.toList()) {
        try (TraceReader reader = TraceReader.open(file)) {
          for (Optional<TraceRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
            drawn += next.get().isRead() ? next.get().bytes() : 0;
          }
        }
      }
    }
    assertTrue(drawn > 0);
  }

  @ParameterizedTest
  @EnumSource
  void shouldDrawThroughMounts(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setBoolean(RECURSIVE, true);
    URI tree = URI.create("vdfs://" + fileSystem.getUri().getAuthority() + "/tree");
    ConfigUtil.addLink(conf, "shapes", "/seen", tree);
    assertSame(api, conf, "viewfs://shapes/seen");
  }

  /** Wraps VDFS and has its scheme. */
  public static final class Filter extends FilterFileSystem {
    public Filter() {
      super(new VdfsFileSystem());
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
      fs.initialize(name, conf);
      super.initialize(name, conf);
    }
  }

  @Test
  void shouldDrawThroughAFilterUnlessItTellsOtherLengths() throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setClass("fs.vdfs.impl", Filter.class, FileSystem.class);
    conf.setBoolean("fs.vdfs.impl.disable.cache", true);
    FileStatus file = fileSystem.getFileStatus(new Path("/tree/a"));
    assertFalse(InputPlan.make(conf, List.of(file), any -> true).logical().isEmpty());
    FileStatus shorter =
        new FileStatus(file.getLen() - 1, false, 3, file.getBlockSize(), 0, file.getPath());
    assertTrue(InputPlan.make(conf, List.of(shorter), any -> true).logical().isEmpty());
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadNothingFromEmptyFiles(Api api) throws Exception {
    PlannedInput<?> planned = api.planLogical(InputCluster.configuration(), text(api), "/nothing");
    assertEquals(0, planned.logicalTasks());
    assertEquals(List.of(), planned.readAll());
  }

  /** If a map may be lost, the loss must be its split, not whatever it has drawn. */
  @ParameterizedTest
  @EnumSource
  void shouldDrawNothingWhenMapsMayBeLost(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setInt(MRJobConfig.MAP_FAILURES_MAX_PERCENT, 5);
    assertDrawsNothing(api, conf);
  }

  /** The formats below it write into a copy of the job's settings. */
  @Test
  void shouldDrawNothingBelowMultipleInputsOfTheNewApi() throws Exception {
    Job job = Job.getInstance(InputCluster.configuration());
    MultipleInputs.addInputPath(job, new Path("/tree/a"), VdfsInputFormat.class);
    assertDrawsNothing(Api.NEW, job.getConfiguration());
  }

  @Test
  void shouldDrawNothingBelowMultipleInputsOfTheOldApi() throws Exception {
    JobConf job = new JobConf(InputCluster.configuration());
    org.apache.hadoop.mapred.lib.MultipleInputs.addInputPath(
        job, new Path("/tree/a"), io.vdfs.mapreduce.mapred.VdfsInputFormat.class);
    assertDrawsNothing(Api.OLD, job);
  }

  private static void assertDrawsNothing(Api api, Configuration conf) throws Exception {
    PlannedInput<?> planned = api.planLogical(conf, text(api), "/tree/a");
    assertEquals(0, planned.logicalTasks());
    assertEquals(api.planStatic(conf, text(api), "/tree/a").readAll(), planned.readAll());
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadManySmallFiles(Api api) throws Exception {
    String directory = "/small";
    if (!fileSystem.exists(new Path(directory))) {
      writeSmallFiles(directory);
    }
    PlannedInput<?> planned = api.planLogical(InputCluster.configuration(), text(api), directory);
    assertEquals(1, planned.tasks(), "they are not worth more");
    assertEquals(SMALL_FILES, planned.readAll().size());
    assertEquals(SMALL_FILES, planned.audit().files());
    long calls = planned.counter(StreamCounter.LEDGER_CALLS);
    assertTrue(calls < SMALL_FILES / 4, "several files with each answer: " + calls);
  }

  private static void writeSmallFiles(String directory) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> written = new ArrayList<>();
      for (int file = 0; file < SMALL_FILES; file++) {
        Path path = new Path(directory + "/" + file);
        written.add(
            writers.submit(
                () -> {
                  try (FSDataOutputStream out = fileSystem.create(path)) {
                    out.writeBytes(path + "\n");
                  }
                  return null;
                }));
      }
      for (Future<?> one : written) {
        one.get();
      }
    } finally {
      writers.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadOnceWhenThereAreMoreTasksThanBlocks(Api api) throws Exception {
    files.text("/few-" + api, 3L * BLOCK, "\n", 60);
    Configuration conf = InputCluster.configuration();
    conf.setLong(InputKeys.TASK_BYTES, BLOCK / 4);
    PlannedInput<?> planned = api.planLogical(conf, text(api), "/few-" + api);
    assertTrue(planned.tasks() > 12, "tasks=" + planned.tasks());
    assertEquals(api.planStatic(conf, text(api), "/few-" + api).readAll(), planned.readAll());
    planned.audit();
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndTasksEarlyWhenTheyRunInWaves(Api api) throws Exception {
    files.text("/waves-" + api, 16L * BLOCK, "\n", 60);
    Configuration conf = InputCluster.configuration();
    conf.setLong(InputKeys.TASK_BYTES, 2L * BLOCK);
    PlannedInput<?> planned = api.planLogical(conf, text(api), "/waves-" + api);
    assertEquals(9, planned.tasks());
    List<String> read = new ArrayList<>();
    int most = 0;
    for (int task = 0; task < planned.tasks(); task++) {
      int before = read.size();
      drain(planned.attempt(task), read);
      most = Math.max(most, read.size() - before);
    }
    read.sort(null);
    assertEquals(api.planStatic(conf, text(api), "/waves-" + api).readAll(), read);
    assertTrue(most < read.size() / 2, "one task took " + most + " of " + read.size());
    planned.audit();
  }

  @ParameterizedTest
  @EnumSource
  void shouldGiveALateAttemptWhatTheFirstOneGot(Api api) throws Exception {
    files.text("/late-" + api, 8L * BLOCK, "\n", 60);
    PlannedInput<?> planned =
        api.planLogical(InputCluster.configuration(), text(api), "/late-" + api);
    List<String> lost = new ArrayList<>();
    try (TaskInput killed = planned.attempt(0)) {
      for (int record = 0; record < 5_000; record++) {
        lost.add(killed.next().orElseThrow());
      }
    }
    List<String> read = planned.readAll();
    assertEquals(
        api.planStatic(InputCluster.configuration(), text(api), "/late-" + api).readAll(), read);
    List<String> again = new ArrayList<>();
    drain(planned.attempt(0), again);
    assertEquals(lost, again.subList(0, lost.size()));
    planned.audit();
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadAnAppendedFileAsItWas(Api api) throws Exception {
    Path file = new Path("/appended-" + api);
    assertReadAsPinned(
        api,
        file,
        () -> {
          try (FSDataOutputStream out = fileSystem.append(file)) {
            out.write(new byte[3 * BLOCK]);
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadARenamedFileAsItWas(Api api) throws Exception {
    Path file = new Path("/renamed-" + api);
    assertReadAsPinned(
        api, file, () -> assertTrue(fileSystem.rename(file, new Path("/elsewhere-" + api))));
  }

  private static void assertReadAsPinned(Api api, Path file, Change change) throws Exception {
    files.text(file.toString(), 8L * BLOCK, "\n", 60);
    Configuration conf = InputCluster.configuration();
    List<String> expected = api.planStatic(conf, text(api), file.toString()).readAll();
    PlannedInput<?> planned = api.planLogical(conf, text(api), file.toString());
    try (TaskInput early = planned.attempt(0)) {
      assertTrue(early.next().isPresent());
      change.make();
    }
    assertEquals(expected, planned.readAll());
    planned.audit();
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWhenAFileIsReplaced(Api api) throws Exception {
    Path file = new Path("/replaced-" + api);
    assertFails(api, file, () -> files.text(file.toString(), 8L * BLOCK, "\n", 60));
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailWhenAFileIsDeleted(Api api) throws Exception {
    Path file = new Path("/deleted-" + api);
    assertFails(api, file, () -> assertTrue(fileSystem.delete(file, false)));
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadNoOtherBytesWhenAFileIsReplacedInARun(Api api) throws Exception {
    Path file = new Path("/replaced-in-run-" + api);
    assertReadsPinnedBytesOrFails(
        api, file, () -> files.text(file.toString(), 8L * BLOCK, "\n", 60));
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadNoOtherBytesWhenAFileIsDeletedInARun(Api api) throws Exception {
    Path file = new Path("/deleted-in-run-" + api);
    assertReadsPinnedBytesOrFails(api, file, () -> assertTrue(fileSystem.delete(file, false)));
  }

  /** The first attempt is in the middle of a run when the file changes. */
  private static void assertReadsPinnedBytesOrFails(Api api, Path file, Change change)
      throws Exception {
    files.text(file.toString(), 8L * BLOCK, "\n", 60);
    Configuration conf = InputCluster.configuration();
    Set<String> pinned = Set.copyOf(api.planStatic(conf, text(api), file.toString()).readAll());
    PlannedInput<?> planned = api.planLogical(conf, text(api), file.toString());
    try (TaskInput input = planned.attempt(0)) {
      assertTrue(pinned.contains(input.next().orElseThrow()));
      change.make();
      IOException failed =
          assertThrows(
              IOException.class,
              () -> {
                for (Optional<String> next = input.next(); next.isPresent(); next = input.next()) {
                  assertTrue(pinned.contains(next.get()), next.get());
                }
              },
              "the next run cannot be pinned");
      assertTrue(failed.getMessage().contains(file.toString()), failed.toString());
    }
  }

  private static void assertFails(Api api, Path file, Change change) throws Exception {
    files.text(file.toString(), 8L * BLOCK, "\n", 60);
    PlannedInput<?> planned =
        api.planLogical(InputCluster.configuration(), text(api), file.toString());
    change.make();
    IOException failed = assertThrows(IOException.class, planned::readAll);
    assertTrue(failed.getMessage().contains(file.toString()), failed.toString());
    assertTrue(failed.getMessage().contains("not what it was"), failed.toString());
    assertThrows(IOException.class, planned::audit);
  }

  /** As all attempts ask from one machine, all tasks but the last one end with its blocks. */
  @ParameterizedTest
  @EnumSource
  void shouldLeaveOtherNodesTheirBlocksWithoutStealing(Api api) throws Exception {
    files.text("/own-" + api, 48L * BLOCK, "\n", 60);
    Configuration conf = InputCluster.configuration();
    List<String> expected = api.planStatic(conf, text(api), "/own-" + api).readAll();
    PlannedInput<?> stealing = api.planLogical(conf, text(api), "/own-" + api);
    assertEquals(expected, stealing.readAll());
    assertTrue(thieves(stealing).size() > 1, "else the test shows nothing");
    conf.setBoolean(InputKeys.STEALING, false);
    PlannedInput<?> planned = api.planLogical(conf, text(api), "/own-" + api);
    assertTrue(planned.tasks() > 2, "tasks=" + planned.tasks());
    assertEquals(expected, planned.readAll());
    List<TaskDraws> thieves = thieves(planned);
    assertEquals(1, thieves.size(), "only the last open task: " + thieves);
    assertFalse(thieves.get(0).closed());
    assertEquals(thieves.get(0).stolenBlocks(), planned.counter(StreamCounter.STOLEN_BLOCKS));
    assertTrue(thieves.get(0).stolenBlocks() < 48);
    assertEquals(
        planned.tasks() - 1L, planned.status().tasks().stream().filter(TaskDraws::closed).count());
    planned.audit();
  }

  private static List<TaskDraws> thieves(PlannedInput<?> planned) throws IOException {
    return planned.status().tasks().stream().filter(task -> task.stolenBlocks() > 0).toList();
  }

  @Test
  void shouldServeASingleNodeWithOneTask() throws Exception {
    try (VdfsTestCluster single = VdfsTestCluster.start(ClusterSpec.small("single", 1));
        FileSystem its = single.newFileSystem()) {
      new InputFiles(its, 3).text("/a", 3L * BLOCK, "\n", 60);
      Configuration conf = single.configuration();
      for (Api api : Api.values()) {
        PlannedInput<?> planned = api.planLogical(conf, text(api), "/a");
        assertEquals(1, planned.logicalTasks());
        assertEquals(api.planStatic(conf, text(api), "/a").readAll(), planned.readAll());
        assertEquals(0, planned.audit().stolenBlocks());
      }
    }
  }

  private static void assertSame(Api api, Configuration conf, String inputs) throws Exception {
    List<String> expected = api.planStatic(conf, text(api), inputs).readAll();
    PlannedInput<?> planned = api.planLogical(conf, text(api), inputs);
    assertEquals(planned.tasks(), planned.logicalTasks());
    assertEquals(expected, planned.readAll());
    planned.audit();
  }

  private static void drain(TaskInput input, List<String> into) throws Exception {
    try (input) {
      for (Optional<String> next = input.next(); next.isPresent(); next = input.next()) {
        into.add(next.get());
      }
    }
  }

  private static String text(Api api) {
    return api.formatName("TextInputFormat");
  }

  @FunctionalInterface
  private interface Change {
    void make() throws Exception;
  }
}

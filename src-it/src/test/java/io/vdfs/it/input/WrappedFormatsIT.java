package io.vdfs.it.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.AuditedInput;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tasks with logical splits read the same records as with Hadoop's static splits, format by format.
 */
@Timeout(120)
class WrappedFormatsIT {
  private static final int BLOCK = InputCluster.SPEC.geometry().blockSize();
  private static final String TEXT = "TextInputFormat";
  private static final String DELIMITER = "textinputformat.record.delimiter";

  private static FileSystem fileSystem;

  @BeforeAll
  @Timeout(120)
  static void makeFiles() throws Exception {
    fileSystem = InputCluster.newFileSystem();
    InputFiles files = new InputFiles(fileSystem, 1);
    files.text("/lf/a", 11L * BLOCK + 1, "\n", 60);
    files.text("/lf/b", 5L * BLOCK, "\n", 60);
    files.text("/lf/c", 10, "\n", 60);
    files.empty("/lf/empty");
    files.text("/crlf/a", 6L * BLOCK, "\r\n", 3);
    files.text("/delimited/a", 6L * BLOCK, "§|", 20);
    files.text("/long/a", 9L * BLOCK, "\n", BLOCK);
    files.text("/packed/a.gz", 3L * BLOCK, "\n", 60);
    files.text("/packed/b.bz2", 12L * BLOCK, "\n", 60);
    files.text("/packed/c", 3L * BLOCK, "\n", 60);
    files.text("/gz/a.gz", 3L * BLOCK, "\n", 60);
    files.sequence("/sequence/plain", 3_000, CompressionType.NONE);
    files.sequence("/sequence/records", 3_000, CompressionType.RECORD);
    files.sequence("/sequence/blocks", 9_000, CompressionType.BLOCK);
  }

  @AfterAll
  static void close() throws IOException {
    if (fileSystem != null) {
      fileSystem.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadLines(Api api) throws Exception {
    assertSame(api, InputCluster.configuration(), api.formatName(TEXT), "/lf");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadLinesThatEndWithCarriageReturns(Api api) throws Exception {
    assertSame(api, InputCluster.configuration(), api.formatName(TEXT), "/crlf");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadRecordsWithADelimiterOfManyBytes(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.set(DELIMITER, "§|");
    assertSame(api, conf, api.formatName(TEXT), "/delimited");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadRecordsLongerThanABlock(Api api) throws Exception {
    assertSame(api, InputCluster.configuration(), api.formatName(TEXT), "/long");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadKeysAndValues(Api api) throws Exception {
    String format = api.formatName("KeyValueTextInputFormat");
    assertSame(api, InputCluster.configuration(), format, "/lf");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadSequenceFiles(Api api) throws Exception {
    String format = api.formatName("SequenceFileInputFormat");
    assertSame(api, InputCluster.configuration(), format, "/sequence");
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadWholeGroups(Api api) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setBoolean(InputKeys.WHOLE_GROUPS, true);
    AuditedInput audit = assertSame(api, conf, api.formatName(TEXT), "/lf/a");
    assertEquals(3, audit.runs());
  }

  @ParameterizedTest
  @EnumSource
  void shouldKeepFilesStaticThatCannotBeSplit(Api api) throws Exception {
    PlannedInput<?> logical =
        api.planLogical(InputCluster.configuration(), api.formatName(TEXT), "/packed");
    assertEquals(1, logical.tasks() - logical.logicalTasks(), "of gzip");
    assertTrue(logical.logicalTasks() > 0);
    // in a file of bzip2 the key of a line depends on where its split begins
    assertEquals(
        withoutKeys(expected(api, api.formatName(TEXT), "/packed")),
        withoutKeys(logical.readAll()));
    long drawn = length("/packed/b.bz2") + length("/packed/c");
    assertEquals(drawn, logical.audit().totals().bytes());
  }

  @ParameterizedTest
  @EnumSource
  void shouldRunOnStaticSplitsWhenNothingCanBeSplit(Api api) throws Exception {
    assertStatic(api, api.formatName(TEXT), "/gz");
  }

  @ParameterizedTest
  @EnumSource
  void shouldRunOnStaticSplitsWhenTheFormatPlansThem(Api api) throws Exception {
    String library = api == Api.NEW ? api.formatName("") : api.formatName("lib.");
    assertStatic(api, library + "NLineInputFormat", "/crlf,/lf/c");
    assertStatic(api, library + "CombineTextInputFormat", "/lf");
  }

  private static void assertStatic(Api api, String format, String inputs) throws Exception {
    Configuration conf = InputCluster.configuration();
    conf.setInt("mapreduce.input.lineinputformat.linespermap", 20_000);
    conf.set(InputKeys.STREAM_ID, "of an earlier job");
    List<String> expected = api.planStatic(conf, format, inputs).readAll();
    PlannedInput<?> planned = api.planLogical(conf, format, inputs);
    assertEquals(0, planned.logicalTasks());
    assertNull(planned.configuration().get(InputKeys.STREAM_ID));
    assertFalse(expected.isEmpty());
    assertEquals(expected, readCounted(planned));
    assertEquals(0, planned.counter(StreamCounter.BYTES));
  }

  private static List<String> withoutKeys(List<String> records) {
    return records.stream()
        .map(record -> record.split("\t", 3))
        .map(parts -> parts[0] + "\t" + parts[2])
        .sorted()
        .toList();
  }

  private static List<String> expected(Api api, String format, String inputs) throws Exception {
    return api.planStatic(InputCluster.configuration(), format, inputs).readAll();
  }

  private static AuditedInput assertSame(
      Api api, Configuration conf, String format, String directory) throws Exception {
    List<String> expected = api.planStatic(conf, format, directory).readAll();
    PlannedInput<?> logical = api.planLogical(conf, format, directory);
    assertEquals(logical.tasks(), logical.logicalTasks());
    assertTrue(logical.tasks() > 1, "one task does not show how tasks share a file");
    List<String> read = readCounted(logical);
    assertTrue(logical.counter(StreamCounter.LOCAL_BYTES) > 0);
    assertEquals(expected.size(), read.size());
    assertEquals(expected, read);
    AuditedInput audit = logical.audit();
    assertEquals(length(directory), audit.totals().bytes());
    assertEquals(length(directory), logical.counter(StreamCounter.BYTES));
    return audit;
  }

  /** Reads everything; the counters must equal what the filesystem delivered meanwhile. */
  @SuppressWarnings("deprecation") // what MapReduce reads its counters from
  private static List<String> readCounted(PlannedInput<?> planned) throws Exception {
    FileSystem.Statistics statistics =
        FileSystem.getStatistics(VdfsFileSystem.SCHEME, VdfsFileSystem.class);
    long before = statistics.getBytesRead();
    List<String> read = planned.readAll();
    assertEquals(statistics.getBytesRead() - before, planned.bytesFromNodes());
    assertTrue(planned.bytesFromNodes() > 0);
    return read;
  }

  private static long length(String path) throws IOException {
    long bytes = 0;
    for (FileStatus file : fileSystem.listStatus(new Path(path))) {
      bytes += file.getLen();
    }
    return bytes;
  }
}

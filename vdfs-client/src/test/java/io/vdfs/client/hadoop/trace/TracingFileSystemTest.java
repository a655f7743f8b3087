package io.vdfs.client.hadoop.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.trace.TraceReader;
import io.vdfs.client.trace.TraceRecord;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.viewfs.ConfigUtil;
import org.apache.hadoop.io.ElasticByteBufferPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TracingFileSystemTest {
  /** Methods that every filesystem builds on others, which are traced. */
  private static final Set<String> BUILT_ON_OTHERS =
      Set.of(
          "append(Path)",
          "append(Path,boolean)",
          "append(Path,int)",
          "cancelDeleteOnExit(Path)",
          "copyFromLocalFile(Path,Path)",
          "copyToLocalFile(Path,Path)",
          "create(Path)",
          "create(Path,Progressable)",
          "create(Path,boolean)",
          "create(Path,boolean,int)",
          "create(Path,boolean,int,Progressable)",
          "create(Path,boolean,int,short,long)",
          "create(Path,boolean,int,short,long,Progressable)",
          "create(Path,FsPermission,EnumSet,int,short,long,Progressable)",
          "create(Path,short)",
          "create(Path,short,Progressable)",
          "createNewFile(Path)",
          "createNonRecursive(Path,boolean,int,short,long,Progressable)",
          "createNonRecursive(Path,FsPermission,boolean,int,short,long,Progressable)",
          "delete(Path)",
          "deleteOnExit(Path)",
          "fixRelativePart(Path)",
          "getBlockSize(Path)",
          "getLength(Path)",
          "getName()",
          "getReplication(Path)",
          "getStatus()",
          "listStatus(Path,PathFilter)",
          "listStatus(Path[])",
          "listStatus(Path[],PathFilter)",
          "listStatusBatch(Path,byte[])", // of the iterator, which is passed on
          "moveFromLocalFile(Path,Path)",
          "moveFromLocalFile(Path[],Path)",
          "moveToLocalFile(Path,Path)",
          "open(Path)",
          "open(PathHandle)",
          "primitiveMkdir(Path,FsPermission,boolean)", // of FileContext, which takes another path
          "processDeleteOnExit()");

  /** Methods that FilterFileSystem passes on, and that say nothing about paths. */
  private static final Set<String> PASSED_ON =
      Set.of(
          "getChildFileSystems()",
          "getDefaultBlockSize()",
          "getDefaultReplication()",
          "setVerifyChecksum(boolean)",
          "setWriteChecksum(boolean)",
          "supportsSymlinks()");

  /** Methods of an instance that have nothing to do with what a filesystem can do. */
  private static final Set<String> OF_THE_INSTANCE =
      Set.of("getAdditionalTokenIssuers()", "getCanonicalServiceName()", "getDefaultPort()");

  @TempDir private File temporary;

  private final Recorders recorders = new Recorders();
  private final Configuration conf = new Configuration();
  private File sink;
  private Path base;
  private TracingFileSystem fs;

  @BeforeEach
  void open() throws IOException {
    sink = new File(temporary, "sink");
    conf.set(TraceSettings.SINK, sink.toURI().toString());
    conf.setClass("fs.trace.impl", TracingFileSystem.class, FileSystem.class);
    conf.set("fs.AbstractFileSystem.trace.impl", TracingAbstractFileSystem.class.getName());
    base = new Path("trace://file-" + new File(temporary, "data"));
    fs = open(base.toUri());
    fs.mkdirs(base);
  }

  private TracingFileSystem open(URI uri) throws IOException {
    TracingFileSystem opened = new TracingFileSystem(recorders);
    opened.initialize(uri, conf);
    return opened;
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
  }

  /** Ends the trace and reads it. */
  private List<TraceRecord> trace() throws IOException {
    fs.close();
    List<TraceRecord> records = new ArrayList<>();
    for (File file : sink.listFiles()) {
      try (TraceReader reader = TraceReader.open(file.toPath())) {
        for (Optional<TraceRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
          records.add(next.get());
        }
        assertEquals(Optional.empty(), reader.fault());
      }
    }
    return records;
  }

  private List<String> traced(String... ops) throws IOException {
    Set<String> wanted = Set.of(ops);
    return trace().stream()
        .filter(record -> wanted.contains(record.op()))
        .map(record -> record.op() + " " + record.offset() + " " + record.result())
        .toList();
  }

  private Path write(String name, int length) throws IOException {
    Path path = new Path(base, name);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(bytes);
    }
    return path;
  }

  @Test
  void shouldNameAllThatItShowsAsItIsNamedItself() throws IOException {
    Path file = write("d/f", 3);
    assertEquals("trace", fs.getScheme());
    assertEquals(URI.create("trace://file-"), fs.getUri());
    assertEquals(file, fs.getFileStatus(file).getPath());
    assertEquals(file, fs.getFileStatus(new Path(file.toUri().getPath())).getPath());
    assertEquals(file, fs.listStatus(file.getParent())[0].getPath());
    assertEquals(file, fs.globStatus(new Path(base, "d/*"))[0].getPath());
    assertEquals(file, fs.resolvePath(file));
    RemoteIterator<LocatedFileStatus> found = fs.listFiles(base, true);
    assertEquals(file, found.next().getPath());
    assertFalse(found.hasNext());
    assertEquals(file, fs.listStatusIterator(file.getParent()).next().getPath());
    fs.setWorkingDirectory(base);
    assertEquals(base, fs.getWorkingDirectory());
    assertEquals(file, fs.makeQualified(new Path("d/f")));
    assertEquals(3, fs.getFileStatus(new Path("d/f")).getLen());
    assertEquals("trace", fs.getHomeDirectory().toUri().getScheme());
    assertEquals(
        file, fs.globStatus(new Path(base, "d/*"), path -> path.equals(file))[0].getPath());
  }

  @Test
  void shouldRefusePathsOfOthers() {
    for (String other : List.of("file:/x", "trace://hdfs-nn/x", "hdfs://nn/x", "trace:///x")) {
      assertThrows(IllegalArgumentException.class, () -> fs.getFileStatus(new Path(other)), other);
      assertThrows(IllegalArgumentException.class, () -> fs.makeQualified(new Path(other)), other);
    }
  }

  @Test
  void shouldRecordCallsAndHowTheyEnded() throws IOException {
    Path file = write("f", 10);
    Path gone = new Path(base, "gone");
    assertThrows(FileNotFoundException.class, () -> fs.open(gone));
    assertThrows(FileNotFoundException.class, () -> fs.getFileStatus(gone));
    assertTrue(fs.rename(file, gone));
    assertFalse(fs.delete(file, false));

    String data = new Path(base.toUri().getPath()).toString();
    List<TraceRecord> records = trace();
    assertEquals(
        List.of(
            "mkdirs /  1",
            "create /f  -",
            "write /f  10",
            "close-output /f  -",
            "open /gone  - FileNotFoundException",
            "status /gone  - FileNotFoundException",
            "rename /f /gone 1",
            "delete /f  0"),
        records.stream().map(record -> line(record, "file://" + data)).toList());
    assertTrue(records.stream().allMatch(record -> record.durationNanos() > 0));
  }

  private static String line(TraceRecord record, String root) {
    String error = record.error().substring(record.error().lastIndexOf('.') + 1);
    return (record.op()
            + " "
            + (record.path().equals(root) ? "/" : record.path().replace(root, ""))
            + " "
            + record.target().replace(root, "")
            + " "
            + (record.result() == Long.MIN_VALUE ? "-" : record.result())
            + " "
            + error)
        .trim();
  }

  @Test
  void shouldRecordEachWayToRead() throws Exception {
    Path file = write("f", 40_000);
    try (FSDataInputStream in = fs.open(file)) {
      assertEquals(0, in.read());
      assertEquals(1, in.read());
      assertEquals(16_384, in.read(new byte[16_384]));
      in.seek(20_000);
      assertEquals(100, in.read(10, new byte[100], 0, 100));
      in.readFully(20, new byte[50]);
      List<FileRange> ranges =
          List.of(FileRange.createFileRange(39_000, 10), FileRange.createFileRange(5, 20));
      in.readVectored(ranges, ByteBuffer::allocate);
      assertEquals(20, ranges.get(1).getData().get(10, TimeUnit.SECONDS).remaining());
      assertEquals(10, ranges.get(0).getData().get(10, TimeUnit.SECONDS).remaining());
      ByteBuffer pooled = in.read(new ElasticByteBufferPool(), 4_096);
      assertEquals(4_096, pooled.remaining());
      assertEquals((byte) 20_000, pooled.get(0));
      in.releaseBuffer(pooled);
      assertEquals(24_096, in.getPos());
    }
    List<String> reads =
        new ArrayList<>(
            traced("read", "pread", "read-pooled", "read-vectored", "read-range", "seek"));
    assertTrue(reads.remove("read-range 39000 10"));
    assertTrue(reads.remove("read-range 5 20"));
    assertEquals(
        List.of(
            "read 0 2",
            "read 2 16384",
            "seek 20000 " + Long.MIN_VALUE,
            "pread 10 100",
            "pread 20 50",
            "read-vectored 5 2",
            "read-pooled 20000 4096"),
        reads);
  }

  @Test
  void shouldGatherSmallCallsThatFollowEachOther() throws IOException {
    Path file = new Path(base, "f");
    try (FSDataOutputStream out = fs.create(file)) {
      for (int i = 0; i < 100; i++) {
        out.write(i);
      }
      out.hflush();
      out.write(new byte[16_384]);
      out.writeInt(7);
    }
    List<TraceRecord> writes =
        trace().stream().filter(record -> record.op().equals("write")).toList();
    // how many calls one record takes depends on timing
    assertEquals(
        100, writes.stream().filter(w -> w.offset() < 100).mapToInt(TraceRecord::calls).sum());
    assertEquals(
        100, writes.stream().filter(w -> w.offset() < 100).mapToLong(TraceRecord::bytes).sum());
    assertTrue(writes.size() < 20, writes::toString);
    assertEquals(
        List.of("100 16384 1", "16484 4 1"),
        writes.stream()
            .filter(w -> w.offset() >= 100)
            .map(w -> w.offset() + " " + w.result() + " " + w.calls())
            .toList());
  }

  @Test
  void shouldOpenAndCreateWithBuilders() throws Exception {
    Path file = new Path(base, "f");
    try (FSDataOutputStream out =
        (FSDataOutputStream)
            fs.createFile(file).overwrite(true).recursive().opt("some.hint", "x").build()) {
      out.writeBytes("hello");
    }
    assertThrows(
        IllegalArgumentException.class, () -> fs.createFile(file).must("no.such", "x").build());
    FileStatus status = fs.getFileStatus(file);
    try (FSDataInputStream in = fs.openFile(file).withFileStatus(status).build().get()) {
      assertEquals('h', in.read());
    }
    try (FSDataInputStream in = fs.open(fs.getPathHandle(status, Options.HandleOpt.exact()))) {
      assertEquals('h', in.read());
    }
    assertThrows(
        IllegalArgumentException.class, () -> fs.openFile(file).must("no.such", "x").build());
    assertEquals(2, traced("read").size());
  }

  @Test
  void shouldClaimWhatTheOneInsideClaims() throws Exception {
    Path file = write("f", 10);
    FileSystem inner = fs.getRawFileSystem();
    Path inside = fs.innerPath(file);
    for (String capability : constants(CommonPathCapabilities.class)) {
      assertEquals(
          inner.hasPathCapability(inside, capability),
          fs.hasPathCapability(file, capability),
          capability);
    }
    try (FSDataInputStream in = fs.open(file);
        FSDataInputStream plain = inner.open(inside);
        FSDataOutputStream out = fs.create(new Path(base, "g"));
        FSDataOutputStream plainOut = inner.create(fs.innerPath(new Path(base, "h")))) {
      for (String capability : constants(StreamCapabilities.class)) {
        assertEquals(plain.hasCapability(capability), in.hasCapability(capability), capability);
        assertEquals(plainOut.hasCapability(capability), out.hasCapability(capability), capability);
      }
      assertSame(plain.getWrappedStream().getClass(), in.getWrappedStream().getClass());
      assertSame(plainOut.getWrappedStream().getClass(), out.getWrappedStream().getClass());
      assertNotNull(in.getIOStatistics());
    }
  }

  private static List<String> constants(Class<?> names) throws IllegalAccessException {
    List<String> values = new ArrayList<>();
    for (Field field : names.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        values.add((String) field.get(null));
      }
    }
    return values;
  }

  @Test
  void shouldRefuseWhatTheOneInsideRefuses() throws IOException {
    Path file = write("f", 10);
    assertThrows(UnsupportedOperationException.class, () -> fs.recoverLease(file));
    assertThrows(UnsupportedOperationException.class, () -> fs.isFileClosed(file));
    assertThrows(
        UnsupportedOperationException.class, () -> fs.batchedListStatusIterator(List.of(base)));
    assertThrows(UnsupportedOperationException.class, () -> fs.createSnapshot(base, "s"));
    assertThrows(UnsupportedOperationException.class, () -> fs.concat(file, new Path[] {file}));
    try (FSDataInputStream in = fs.open(file);
        FSDataOutputStream out = fs.create(new Path(base, "g"))) {
      assertThrows(UnsupportedOperationException.class, () -> in.setReadahead(1L));
      assertThrows(UnsupportedOperationException.class, out::abort);
    }
  }

  @Test
  void shouldPassOnEachMethodOfFilesystems() {
    Set<String> left =
        Arrays.stream(FileSystem.class.getDeclaredMethods())
            .filter(method -> !method.isSynthetic())
            .filter(
                method ->
                    Modifier.isPublic(method.getModifiers())
                        || Modifier.isProtected(method.getModifiers()))
            .filter(
                method ->
                    !Modifier.isStatic(method.getModifiers())
                        && !Modifier.isFinal(method.getModifiers()))
            .map(TracingFileSystemTest::signature)
            .collect(Collectors.toCollection(TreeSet::new));
    Stream.of(
            TracingFileSystem.class,
            StreamTracingFileSystem.class,
            AttributeTracingFileSystem.class,
            PassingFileSystem.class)
        .flatMap(part -> Arrays.stream(part.getDeclaredMethods()))
        .map(TracingFileSystemTest::signature)
        .forEach(left::remove);
    Set<String> known = new TreeSet<>(BUILT_ON_OTHERS);
    known.addAll(PASSED_ON);
    known.addAll(OF_THE_INSTANCE);
    assertEquals(known, left);
  }

  private static String signature(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .map(name -> name.replace("...", "[]"))
            .collect(Collectors.joining(",", "(", ")"));
  }

  @Test
  void shouldPassOnEachMethodOfFileContexts() {
    Set<String> left =
        Arrays.stream(AbstractFileSystem.class.getDeclaredMethods())
            .filter(method -> !method.isSynthetic())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(
                method ->
                    !Modifier.isStatic(method.getModifiers())
                        && !Modifier.isFinal(method.getModifiers()))
            .map(TracingFileSystemTest::signature)
            .collect(Collectors.toCollection(TreeSet::new));
    Arrays.stream(TracingAbstractFileSystem.class.getDeclaredMethods())
        .map(TracingFileSystemTest::signature)
        .forEach(left::remove);
    assertEquals(
        Set.of(
            "checkPath(Path)",
            "checkScheme(URI,String)",
            "getStatistics()",
            "getUriPath(Path)",
            "makeQualified(Path)"),
        left);
  }

  @Test
  void shouldServeFileContexts() throws Exception {
    FileContext context = FileContext.getFileContext(base.toUri(), conf);
    Path file = new Path(base, "f");
    try (FSDataOutputStream out =
        context.create(file, EnumSet.of(CreateFlag.CREATE), Options.CreateOpts.createParent())) {
      out.writeBytes("hello");
    }
    assertEquals(file, context.getFileStatus(file).getPath());
    assertEquals(5, context.getFileStatus(file).getLen());
    Path moved = new Path(base, "g");
    context.rename(file, moved, Options.Rename.OVERWRITE);
    assertEquals(moved, context.listStatus(base).next().getPath());
    try (FSDataInputStream in = context.open(moved)) {
      assertArrayEquals("hello".getBytes(UTF_8), in.readAllBytes());
    }
    assertTrue(context.delete(moved, false));
    assertThrows(FileNotFoundException.class, () -> context.getFileStatus(moved));
    assertTrue(context.hasPathCapability(base, CommonPathCapabilities.FS_PERMISSIONS));
  }

  @Test
  void shouldDeleteOnExit() throws IOException {
    Path file = write("f", 1);
    assertTrue(fs.deleteOnExit(file));
    File local = new File(file.toUri().getPath());
    assertTrue(local.exists());
    fs.close();
    assertFalse(local.exists());
  }

  @Test
  void shouldShareOneTraceOfAProcess() throws IOException {
    write("f", 1);
    TracingFileSystem other = open(base.toUri());
    other.exists(base);
    other.close();
    other.close();
    fs.exists(base);
    assertEquals(2, trace().stream().filter(record -> record.op().equals("status")).count());
    assertEquals(1, sink.listFiles().length);
    try (TracingFileSystem later = open(base.toUri())) {
      later.exists(base);
    }
    assertEquals(2, sink.listFiles().length);
  }

  @Test
  void shouldEndItsTraceWhereHadoopClosesAll() throws IOException {
    fs.close();
    FileSystem.get(base.toUri(), conf).exists(base);
    FileSystem.closeAll();
    assertEquals(1, trace().stream().filter(record -> record.op().equals("status")).count());
  }

  @Test
  void shouldBeFoundByItsScheme() throws IOException {
    try (FileSystem found = FileSystem.newInstance(base.toUri(), conf)) {
      assertSame(TracingFileSystem.class, found.getClass());
      assertEquals(base, found.getFileStatus(base).getPath());
    }
  }

  private void assertRefused(String uri, String part) {
    VdfsException refused =
        assertThrows(VdfsException.class, () -> open(URI.create(uri)).close(), uri);
    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
    assertTrue(refused.getMessage().contains(part), refused.getMessage());
  }

  @Test
  void shouldRefuseToNest() throws IOException {
    assertRefused("trace:///x", "trace://SCHEME-AUTHORITY");
    assertRefused("trace://nn/x", "trace://SCHEME-AUTHORITY");
    assertRefused("trace://trace-file-/x", "inside of a traced one");
    ConfigUtil.addLink(conf, "mounts", "/data", base.toUri());
    assertRefused("trace://viewfs-mounts/data", "inside of a traced one");
  }

  /** A filesystem that is not local by its name. */
  public static final class Distant extends RawLocalFileSystem {
    private URI name;

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
      name = URI.create(uri.getScheme() + "://" + uri.getAuthority());
      super.initialize(uri, conf);
    }

    @Override
    public URI getUri() {
      return name == null ? super.getUri() : name;
    }
  }

  @Test
  void shouldRefuseSinksThatAreTraced() throws IOException {
    fs.close();
    assertEquals(1, traces().length, "that of the filesystem that all tests have");
    conf.setClass("fs.distant.impl", Distant.class, FileSystem.class);
    String traced = "trace://distant-a/x";
    conf.set(TraceSettings.SINK, "trace://file-/tmp");
    assertRefused(traced, "is traced itself");
    conf.set(TraceSettings.SINK, "distant://a/traces");
    assertRefused(traced, "which is traced");
    ConfigUtil.addLink(conf, "mounts", "/far", URI.create("distant://a/traces"));
    conf.set(TraceSettings.SINK, "viewfs://mounts/far");
    assertRefused(traced, "which is traced");
    ConfigUtil.addLink(conf, "others", "/traced", base.toUri());
    conf.set(TraceSettings.SINK, "viewfs://others/traced");
    assertRefused(traced, "that is traced");
    conf.set(TraceSettings.SINK, "distant://b" + sink);
    try (TracingFileSystem allowed = open(URI.create(traced))) {
      assertTrue(allowed.exists(new Path("/")));
    }
    assertEquals(2, traces().length);
  }

  private File[] traces() {
    return sink.listFiles((in, name) -> name.endsWith(".trace"));
  }

  @Test
  void shouldRefuseSettingsThatMeanNothing() {
    conf.unset(TraceSettings.SINK);
    assertRefused(base.toString(), TraceSettings.SINK);
    conf.set(TraceSettings.SINK, sink.toURI().toString());
    for (String setting :
        List.of("fs.trace.level=all", "fs.trace.queue.records=3", "fs.trace.flush.time=never")) {
      int sign = setting.indexOf('=');
      conf.set(setting.substring(0, sign), setting.substring(sign + 1));
      assertRefused(base.toString(), setting);
      conf.unset(setting.substring(0, sign));
    }
  }

  @Test
  void shouldGoOnWhereTheSinkIsNone() throws IOException {
    File file = new File(temporary, "file");
    Files.writeString(file.toPath(), "no directory");
    conf.set(TraceSettings.SINK, file.toURI().toString());
    try (TracingFileSystem unlucky = open(base.toUri())) {
      Path path = new Path(base, "f");
      try (FSDataOutputStream out = unlucky.create(path)) {
        out.writeBytes("hello");
      }
      assertEquals(5, unlucky.getFileStatus(path).getLen());
    }
  }

  @Test
  void shouldTellAttemptsFromWhatThereIs() {
    String attempt = "attempt_1700000000000_0001_m_000002_0";
    assertEquals(attempt, TraceFiles.attempt(attempt, "", "container_1"));
    assertEquals(
        attempt,
        TraceFiles.attempt("", "org.apache.hadoop.mapred.YarnChild h 1 " + attempt + " 7", "c"));
    assertEquals("container_1", TraceFiles.attempt("", "org.example.Main", "container_1"));
    assertEquals("", TraceFiles.attempt("", "org.example.Main", ""));
  }

  @Test
  void shouldCountBytesUnderItsOwnScheme() throws IOException {
    long before = read();
    Path file = write("f", 1_000);
    try (FSDataInputStream in = fs.open(file)) {
      in.readFully(new byte[1_000]);
      in.readFully(0, new byte[500]);
    }
    assertEquals(1_500, read() - before);
  }

  @SuppressWarnings("deprecation") // what MapReduce makes its counters of
  private static long read() {
    return Stream.of(FileSystem.getStatistics("trace", TracingFileSystem.class))
        .mapToLong(FileSystem.Statistics::getBytesRead)
        .sum();
  }
}

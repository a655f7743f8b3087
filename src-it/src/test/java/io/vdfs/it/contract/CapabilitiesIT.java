package io.vdfs.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.it.cluster.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.UploadHandle;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Capabilities tell the truth: what is claimed works, and what is not claimed does not. Every
 * capability that this Hadoop knows needs a proof here.
 */
@Timeout(60)
@SuppressWarnings("deprecation") // hflush is claimed under its old name, too
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public class CapabilitiesIT {
  private static final Path BASE = new Path("/capabilities");
  private static final int LENGTH = 600 << 10;

  private FileSystem fs;

  private final Map<String, Proof> pathProofs = pathProofs();
  private final Map<String, InputProof> inputProofs = inputProofs();
  private final Map<String, OutputProof> outputProofs = outputProofs();
  private final Path file = new Path(BASE, "f");
  private final Path other = new Path(BASE, "g");

  /** Tries what a capability stands for; UnsupportedOperationException counts as false. */
  @FunctionalInterface
  private interface Proof {
    boolean works() throws Exception;
  }

  /** The same for a stream at its start. */
  @FunctionalInterface
  private interface InputProof {
    boolean worksOn(FSDataInputStream in) throws Exception;
  }

  /** The same for a stream to {@code file} to which nothing was written. */
  @FunctionalInterface
  private interface OutputProof {
    boolean worksOn(FSDataOutputStream out) throws Exception;
  }

  @BeforeAll
  void connect() throws IOException {
    fs = open();
  }

  /** The filesystem that is asked; closed here. */
  protected FileSystem open() throws IOException {
    return SharedCluster.get().newFileSystem();
  }

  @AfterAll
  void disconnect() throws IOException {
    fs.delete(BASE, true);
    fs.close();
  }

  @BeforeEach
  void writeFiles() throws IOException {
    fs.delete(BASE, true);
    write(file, 1);
    write(other, 2);
  }

  private void write(Path path, int value) throws IOException {
    byte[] bytes = new byte[LENGTH];
    Arrays.fill(bytes, (byte) value);
    try (FSDataOutputStream out = fs.create(path, true)) {
      out.write(bytes);
    }
  }

  static Stream<String> pathCapabilities() {
    return constants(CommonPathCapabilities.class);
  }

  static Stream<String> streamCapabilities() {
    return constants(StreamCapabilities.class);
  }

  private static Stream<String> constants(Class<?> names) {
    return Arrays.stream(names.getFields())
        .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == String.class)
        .map(CapabilitiesIT::value);
  }

  private static String value(Field constant) {
    try {
      return (String) constant.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean works(Proof proof) throws Exception {
    try {
      return proof.works();
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }

  @ParameterizedTest
  @MethodSource("pathCapabilities")
  void shouldClaimWhatWorksOnPaths(String capability) throws Exception {
    Proof proof = pathProofs.get(capability);
    assertNotNull(proof, () -> "no proof: capability=" + capability);
    boolean claimed = fs.hasPathCapability(file, capability);
    FileContext context = FileContext.getFileContext(fs.getUri(), fs.getConf());

    assertEquals(claimed, context.hasPathCapability(file, capability));
    assertEquals(works(proof), claimed, capability);
  }

  @ParameterizedTest
  @MethodSource("streamCapabilities")
  void shouldClaimWhatWorksOnStreamsThatRead(String capability) throws Exception {
    InputProof proof = inputProofs.get(capability);
    assertNotNull(proof, () -> "no proof: capability=" + capability);
    try (FSDataInputStream in = fs.open(file)) {
      assertEquals(works(() -> proof.worksOn(in)), in.hasCapability(capability), capability);
    }
  }

  @ParameterizedTest
  @MethodSource("streamCapabilities")
  void shouldClaimWhatWorksOnStreamsThatWrite(String capability) throws Exception {
    OutputProof proof = outputProofs.get(capability);
    assertNotNull(proof, () -> "no proof: capability=" + capability);
    try (FSDataOutputStream out = fs.create(file, true)) {
      assertEquals(works(() -> proof.worksOn(out)), out.hasCapability(capability), capability);
    }
  }

  @Test
  void shouldClaimThese() throws IOException {
    Set<String> claimed = new TreeSet<>();
    for (String capability : pathCapabilities().toList()) {
      if (fs.hasPathCapability(file, capability)) {
        claimed.add(capability);
      }
    }
    try (FSDataInputStream in = fs.open(file);
        FSDataOutputStream out = fs.create(other, true)) {
      streamCapabilities()
          .filter(name -> in.hasCapability(name) || out.hasCapability(name))
          .forEach(claimed::add);
    }
    assertEquals(
        new TreeSet<>(
            Set.of(
                CommonPathCapabilities.BULK_DELETE,
                CommonPathCapabilities.ETAGS_AVAILABLE,
                CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
                CommonPathCapabilities.FS_ACLS,
                CommonPathCapabilities.FS_APPEND,
                CommonPathCapabilities.FS_CHECKSUMS,
                CommonPathCapabilities.FS_CONCAT,
                CommonPathCapabilities.FS_MULTIPART_UPLOADER,
                CommonPathCapabilities.FS_PATHHANDLES,
                CommonPathCapabilities.FS_PERMISSIONS,
                CommonPathCapabilities.FS_TRUNCATE,
                CommonPathCapabilities.FS_XATTRS,
                CommonPathCapabilities.LEASE_RECOVERABLE,
                StreamCapabilities.HFLUSH,
                StreamCapabilities.HSYNC,
                StreamCapabilities.IOSTATISTICS,
                StreamCapabilities.PREADBYTEBUFFER,
                StreamCapabilities.READBYTEBUFFER,
                StreamCapabilities.UNBUFFER,
                StreamCapabilities.VECTOREDIO,
                StreamCapabilities.VECTOREDIO_BUFFERS_SLICED)),
        claimed);
  }

  private Map<String, Proof> pathProofs() {
    Map<String, Proof> proofs = new HashMap<>();
    proofs.put(CommonPathCapabilities.FS_ACLS, this::keepsAcls);
    proofs.put(CommonPathCapabilities.FS_APPEND, this::appends);
    proofs.put(CommonPathCapabilities.FS_CHECKSUMS, this::tellsContentsApart);
    proofs.put(CommonPathCapabilities.FS_CONCAT, this::concatenates);
    proofs.put(
        CommonPathCapabilities.FS_LIST_CORRUPT_FILE_BLOCKS,
        () -> fs.listCorruptFileBlocks(BASE) != null);
    proofs.put(CommonPathCapabilities.FS_PATHHANDLES, this::opensByHandle);
    proofs.put(CommonPathCapabilities.FS_PERMISSIONS, this::keepsPermissions);
    proofs.put(CommonPathCapabilities.FS_READ_ONLY_CONNECTOR, () -> !fs.mkdirs(other.suffix("d")));
    proofs.put(CommonPathCapabilities.FS_SNAPSHOTS, () -> fs.createSnapshot(BASE, "s").depth() > 0);
    proofs.put(
        CommonPathCapabilities.FS_STORAGEPOLICY, () -> !fs.getAllStoragePolicies().isEmpty());
    proofs.put(CommonPathCapabilities.FS_SYMLINKS, this::links);
    proofs.put(CommonPathCapabilities.FS_TRUNCATE, this::truncates);
    proofs.put(CommonPathCapabilities.FS_XATTRS, this::keepsAttributes);
    proofs.put(
        CommonPathCapabilities.FS_EXPERIMENTAL_BATCH_LISTING,
        () ->
            fs instanceof BatchListingOperations batches
                && batches.batchedListStatusIterator(List.of(BASE)).hasNext());
    proofs.put(CommonPathCapabilities.FS_MULTIPART_UPLOADER, this::uploadsInParts);
    proofs.put(CommonPathCapabilities.ABORTABLE_STREAM, this::aborts);
    proofs.put(CommonPathCapabilities.ETAGS_AVAILABLE, this::tellsVersionsApart);
    proofs.put(CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME, this::keepsEtagInRename);
    proofs.put(CommonPathCapabilities.LEASE_RECOVERABLE, this::recoversLeases);
    proofs.put(CommonPathCapabilities.DIRECTORY_LISTING_INCONSISTENT, this::listsLate);
    proofs.put(CommonPathCapabilities.BULK_DELETE, this::deletesMany);
    proofs.put(CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS, this::inventsLocations);
    return proofs;
  }

  private boolean keepsAcls() throws IOException {
    List<AclEntry> entries = AclEntry.parseAclSpec("user:bruce:r--,mask::r--", true);
    fs.modifyAclEntries(file, entries);
    return fs.getAclStatus(file).getEntries().contains(entries.get(0));
  }

  private boolean appends() throws IOException {
    fs.append(file).close();
    try (FSDataOutputStream out = fs.append(file)) {
      out.write(7);
    }
    return fs.getFileStatus(file).getLen() == LENGTH + 1;
  }

  private boolean tellsContentsApart() throws IOException {
    Path same = new Path(BASE, "same");
    write(same, 1);
    return fs.getFileChecksum(file) != null
        && fs.getFileChecksum(file).equals(fs.getFileChecksum(same))
        && !fs.getFileChecksum(file).equals(fs.getFileChecksum(other));
  }

  private boolean concatenates() throws IOException {
    fs.concat(file, new Path[] {other});
    return fs.getFileStatus(file).getLen() == 2 * LENGTH && !fs.exists(other);
  }

  private boolean opensByHandle() throws IOException {
    PathHandle handle = fs.getPathHandle(fs.getFileStatus(file), Options.HandleOpt.moved(true));
    fs.rename(file, new Path(BASE, "moved"));
    try (FSDataInputStream in = fs.open(handle)) {
      return in.read() == 1;
    }
  }

  private boolean keepsPermissions() throws IOException {
    fs.setPermission(file, new FsPermission((short) 0601));
    fs.setOwner(file, "bruce", "people");
    FileStatus status = fs.getFileStatus(file);
    return status.getPermission().toShort() == 0601
        && status.getOwner().equals("bruce")
        && status.getGroup().equals("people");
  }

  private boolean links() throws IOException {
    fs.createSymlink(file, new Path(BASE, "link"), false);
    return fs.supportsSymlinks();
  }

  private boolean truncates() throws IOException {
    return fs.truncate(file, 5) && fs.getFileStatus(file).getLen() == 5;
  }

  private boolean keepsAttributes() throws IOException {
    fs.setXAttr(file, "user.a", "v".getBytes(UTF_8));
    return Arrays.equals("v".getBytes(UTF_8), fs.getXAttr(file, "user.a"));
  }

  private boolean uploadsInParts() throws Exception {
    Path base = fs.makeQualified(BASE);
    Path target = new Path(base, "uploaded");
    try (MultipartUploader uploader = fs.createMultipartUploader(base).build()) {
      UploadHandle upload = uploader.startUpload(target).get(10, TimeUnit.SECONDS);
      Map<Integer, PartHandle> parts = new HashMap<>();
      for (int part : new int[] {2, 1}) {
        byte[] bytes = {(byte) part};
        parts.put(
            part,
            uploader
                .putPart(
                    upload, part, part == 2, target, new ByteArrayInputStream(bytes), bytes.length)
                .get(10, TimeUnit.SECONDS));
      }
      uploader.complete(upload, target, parts).get(10, TimeUnit.SECONDS);
    }
    try (FSDataInputStream in = fs.open(target)) {
      return Arrays.equals(new byte[] {1, 2}, in.readAllBytes());
    }
  }

  private boolean aborts() throws IOException {
    try (FSDataOutputStream out = fs.create(new Path(BASE, "aborted"))) {
      out.abort();
    }
    return !fs.exists(new Path(BASE, "aborted"));
  }

  private String etag(Path path) throws IOException {
    return fs.getFileStatus(path) instanceof EtagSource source ? source.getEtag() : null;
  }

  private boolean tellsVersionsApart() throws IOException {
    String first = etag(file);
    write(file, 3);
    return first != null && !first.isEmpty() && !first.equals(etag(file));
  }

  private boolean keepsEtagInRename() throws IOException {
    String before = etag(file);
    fs.rename(file, new Path(BASE, "moved"));
    return before != null && before.equals(etag(new Path(BASE, "moved")));
  }

  private boolean recoversLeases() throws Exception {
    if (!(fs instanceof LeaseRecoverable leases)) {
      return false;
    }
    FileSystem evicted = SharedCluster.get().newFileSystem();
    FSDataOutputStream out = evicted.create(file, true);
    out.write(new byte[10]);
    out.hflush();
    Await.until("lease recovery", Duration.ofSeconds(30), () -> leases.recoverLease(file));
    boolean recovered = leases.isFileClosed(file) && fs.getFileStatus(file).getLen() == 10;
    // the file is no longer the writer's to complete
    IOException told = assertThrows(IOException.class, evicted::close);
    return recovered && told.getMessage().contains(file.getName());
  }

  private boolean listsLate() throws IOException {
    for (int i = 0; i < 20; i++) {
      Path entry = new Path(BASE, "listed");
      fs.create(entry).close();
      int with = fs.listStatus(BASE).length;
      fs.delete(entry, false);
      if (with != 3 || fs.listStatus(BASE).length != 2) {
        return true;
      }
    }
    return false;
  }

  private boolean deletesMany() throws IOException {
    try (BulkDelete bulk = fs.createBulkDelete(BASE)) {
      return bulk.pageSize() > 1
          && bulk.bulkDelete(List.of(file, other)).isEmpty()
          && fs.listStatus(BASE).length == 0;
    }
  }

  private boolean inventsLocations() throws IOException {
    Set<String> nodes = new TreeSet<>();
    for (int node = 0; node < 3; node++) {
      nodes.add(SharedCluster.get().host(node));
    }
    BlockLocation[] locations = fs.getFileBlockLocations(file, 0, LENGTH);
    return locations.length == 0
        || Arrays.stream(locations)
            .anyMatch(location -> !nodes.containsAll(List.of(hosts(location))));
  }

  private static String[] hosts(BlockLocation location) {
    try {
      return location.getHosts();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, InputProof> inputProofs() {
    Map<String, InputProof> proofs = new HashMap<>();
    proofs.put(StreamCapabilities.HFLUSH, in -> false);
    proofs.put(StreamCapabilities.HSYNC, in -> false);
    proofs.put(StreamCapabilities.ABORTABLE_STREAM, in -> false);
    proofs.put(
        StreamCapabilities.READAHEAD,
        in -> {
          in.setReadahead(1L << 20);
          return true;
        });
    proofs.put(
        StreamCapabilities.DROPBEHIND,
        in -> {
          in.setDropBehind(true);
          return true;
        });
    proofs.put(
        StreamCapabilities.UNBUFFER,
        in -> {
          in.readFully(new byte[10]);
          in.unbuffer();
          return in.getPos() == 10 && in.read() == 1;
        });
    proofs.put(
        StreamCapabilities.READBYTEBUFFER,
        in -> in.read(ByteBuffer.allocateDirect(10)) == 10 && in.getPos() == 10);
    proofs.put(
        StreamCapabilities.PREADBYTEBUFFER,
        in -> {
          ByteBuffer buffer = ByteBuffer.allocateDirect(10);
          in.readFully(LENGTH - 10, buffer);
          return buffer.get(9) == 1 && in.getPos() == 0;
        });
    proofs.put(
        StreamCapabilities.IOSTATISTICS,
        in -> {
          in.readFully(new byte[10]);
          return in.getIOStatistics() != null
              && in.getIOStatistics().counters().get(StreamStatisticNames.STREAM_READ_BYTES) == 10;
        });
    proofs.put(StreamCapabilities.VECTOREDIO, in -> allocationsOfVectoredRead(in) > 0);
    proofs.put(
        StreamCapabilities.VECTOREDIO_BUFFERS_SLICED, in -> allocationsOfVectoredRead(in) == 1);
    proofs.put(
        StreamCapabilities.IOSTATISTICS_CONTEXT, in -> countsForItsThread(() -> in.read(), in));
    return proofs;
  }

  /** Number of buffers allocated for two ranges that lie close together, both of which are read. */
  private static int allocationsOfVectoredRead(FSDataInputStream in) throws Exception {
    AtomicInteger allocations = new AtomicInteger();
    List<FileRange> ranges =
        List.of(FileRange.createFileRange(0, 10), FileRange.createFileRange(20, 10));
    in.readVectored(
        ranges,
        size -> {
          allocations.incrementAndGet();
          return ByteBuffer.allocate(size);
        });
    List<ByteBuffer> read = new ArrayList<>();
    for (FileRange range : ranges) {
      read.add(range.getData().get(10, TimeUnit.SECONDS));
    }
    ByteBuffer expected = ByteBuffer.wrap(new byte[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    assertEquals(List.of(expected, expected), read);
    return allocations.get();
  }

  /** Whether the statistics of this thread count it. */
  private static boolean countsForItsThread(Callable<?> use, AutoCloseable stream)
      throws Exception {
    IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();
    context.reset();
    use.call();
    stream.close();
    return !context.snapshot().counters().isEmpty();
  }

  private Map<String, OutputProof> outputProofs() {
    Map<String, OutputProof> proofs = new HashMap<>();
    proofs.put(StreamCapabilities.READAHEAD, out -> false);
    proofs.put(StreamCapabilities.UNBUFFER, out -> false);
    proofs.put(StreamCapabilities.READBYTEBUFFER, out -> false);
    proofs.put(StreamCapabilities.PREADBYTEBUFFER, out -> false);
    proofs.put(StreamCapabilities.VECTOREDIO, out -> false);
    proofs.put(StreamCapabilities.VECTOREDIO_BUFFERS_SLICED, out -> false);
    proofs.put(
        StreamCapabilities.HFLUSH,
        out -> {
          out.write(new byte[10]);
          out.hflush();
          return visible() == 10;
        });
    proofs.put(
        StreamCapabilities.HSYNC,
        out -> {
          out.write(new byte[10]);
          out.hsync();
          return visible() == 10;
        });
    proofs.put(
        StreamCapabilities.DROPBEHIND,
        out -> {
          out.setDropBehind(true);
          return true;
        });
    proofs.put(
        StreamCapabilities.ABORTABLE_STREAM,
        out -> {
          out.abort();
          return true;
        });
    proofs.put(
        StreamCapabilities.IOSTATISTICS,
        out -> {
          out.write(new byte[10]);
          return out.getIOStatistics() != null
              && out.getIOStatistics().counters().get(StreamStatisticNames.STREAM_WRITE_BYTES)
                  == 10;
        });
    proofs.put(
        StreamCapabilities.IOSTATISTICS_CONTEXT,
        out ->
            countsForItsThread(
                () -> {
                  out.write(new byte[10]);
                  return true;
                },
                out));
    return proofs;
  }

  private int visible() throws IOException {
    try (FSDataInputStream in = fs.open(file)) {
      return in.readAllBytes().length;
    }
  }
}

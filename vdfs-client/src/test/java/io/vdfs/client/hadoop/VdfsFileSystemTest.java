package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.hadoop.locality.ReadLocality;
import io.vdfs.client.hadoop.terms.FileChangedException;
import io.vdfs.client.hadoop.values.VdfsFileStatus;
import io.vdfs.client.hadoop.values.VdfsPathHandle;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.client.read.ReadPattern.Ahead;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.MetaRequest;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MD5MD5CRC32CastagnoliFileChecksum;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RawPathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(60)
class VdfsFileSystemTest {
  private static final long GROUP = FakeCluster.GEOMETRY.groupSize();

  private final TestFileSystems systems = new TestFileSystems();
  private VdfsFileSystem fs;

  @BeforeEach
  void open() throws IOException {
    fs = systems.initialized();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + i / 251);
    }
    return bytes;
  }

  private Path write(String path, byte[] content) throws IOException {
    Path file = new Path(path);
    try (FSDataOutputStream out = fs.create(file, true)) {
      out.write(content);
    }
    return file;
  }

  private byte[] read(Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return in.readAllBytes();
    }
  }

  private static VdfsFileStatus status(FileStatus status) {
    return assertInstanceOf(VdfsFileStatus.class, status);
  }

  private FileKey key(Path path) throws IOException {
    return status(fs.getFileStatus(path)).info().key();
  }

  @Test
  void shouldGiveBackWhatWasWritten() throws IOException {
    byte[] content = bytes(20_000);
    Path file = write("/d/f", content);

    assertArrayEquals(content, read(file));
    FileStatus status = fs.getFileStatus(file);
    assertEquals(20_000, status.getLen());
    assertEquals(new Path("vdfs://test/d/f"), status.getPath());
    assertEquals("alice", status.getOwner());
    assertEquals(128L << 20, status.getBlockSize());
    assertEquals(3, status.getReplication());
    assertEquals(FsPermission.createImmutable((short) 0644), status.getPermission());
    assertTrue(fs.isFileClosed(file));
    assertTrue(fs.getFileStatus(new Path("/d")).isDirectory());
  }

  @Test
  void shouldShowAFileWhileItIsWrittenAndItsFlushedBytes() throws IOException {
    Path file = new Path("/f");
    try (FSDataOutputStream out = fs.create(file)) {
      assertTrue(fs.exists(file));
      assertFalse(fs.isFileClosed(file));
      out.write(bytes(10));
      out.hflush();
      assertArrayEquals(bytes(10), read(file));
      assertTrue(out.hasCapability("hflush"));
      assertTrue(out.hasCapability("hsync"));
      assertEquals(10, out.getPos());
    }
    assertTrue(fs.isFileClosed(file));
  }

  @Test
  void shouldAppendAtTheEnd() throws IOException {
    Path file = write("/f", bytes(10));
    try (FSDataOutputStream out = fs.append(file)) {
      assertEquals(10, out.getPos());
      out.write(7);
    }
    assertArrayEquals(new byte[] {7}, Arrays.copyOfRange(read(file), 10, 11));
    assertThrows(FileNotFoundException.class, () -> fs.append(new Path("/none")));
  }

  @Test
  void shouldCreateAsTheFlagsSay() throws IOException {
    Path file = write("/f", bytes(3));

    assertThrows(FileAlreadyExistsException.class, () -> fs.create(file, false));
    assertEquals(3, fs.getFileStatus(file).getLen());
    write("/f", bytes(1));
    assertEquals(1, fs.getFileStatus(file).getLen());
    assertThrows(
        FileNotFoundException.class,
        () ->
            fs.createNonRecursive(
                new Path("/no/f"), FsPermission.getFileDefault(), false, 0, (short) 1, 1024, null));
    assertThrows(FileAlreadyExistsException.class, () -> fs.create(new Path("/"), true));
    assertThrows(ParentNotDirectoryException.class, () -> fs.create(new Path("/f/below")));
    assertThrows(
        FileNotFoundException.class,
        () ->
            fs.primitiveCreate(
                new Path("/none"),
                FsPermission.getFileDefault(),
                EnumSet.of(CreateFlag.OVERWRITE),
                0,
                (short) 1,
                1024,
                null,
                null));
    try (FSDataOutputStream out =
        fs.createFile(new Path("/p/q"))
            .recursive()
            .blockSize(1 << 20)
            .replication((short) 2)
            .build()) {
      out.write(1);
    }
    assertEquals(1 << 20, fs.getFileStatus(new Path("/p/q")).getBlockSize());
    assertEquals(2, fs.getFileStatus(new Path("/p/q")).getReplication());
    fs.appendFile(new Path("/p/q")).build().close();
  }

  @Test
  void shouldMakeDirectoriesWithTheUmask() throws IOException {
    assertTrue(fs.mkdirs(new Path("/a/b/c"), new FsPermission((short) 0777)));
    assertTrue(fs.mkdirs(new Path("/a/b/c")), "again");
    assertEquals(
        FsPermission.createImmutable((short) 0755),
        fs.getFileStatus(new Path("/a/b/c")).getPermission());
    fs.setPermission(new Path("/a"), new FsPermission((short) 01777));
    assertTrue(fs.getFileStatus(new Path("/a")).getPermission().getStickyBit());
    write("/file", bytes(1));
    assertThrows(FileAlreadyExistsException.class, () -> fs.mkdirs(new Path("/file")));
    assertThrows(ParentNotDirectoryException.class, () -> fs.mkdirs(new Path("/file/x")));
    assertFalse(fs.exists(new Path("/file/x")));
  }

  @Test
  void shouldRenameAsHdfs() throws IOException {
    write("/a/f", bytes(5));
    fs.mkdirs(new Path("/b"));
    write("/b/g", bytes(6));

    assertTrue(fs.rename(new Path("/a/f"), new Path("/b")), "into a directory");
    assertEquals(5, fs.getFileStatus(new Path("/b/f")).getLen());
    assertFalse(fs.rename(new Path("/b/f"), new Path("/b/g")), "over a file");
    assertEquals(6, fs.getFileStatus(new Path("/b/g")).getLen());
    assertFalse(fs.rename(new Path("/none"), new Path("/x")), "missing source");
    assertFalse(fs.rename(new Path("/b/f"), new Path("/no/x")), "missing target parent");
    assertFalse(fs.rename(new Path("/b"), new Path("/b/sub")), "below itself");
    assertFalse(fs.rename(new Path("/b"), new Path("/b")), "a directory to itself");
    assertTrue(fs.rename(new Path("/b/f"), new Path("/b/f")), "a file to itself");
    assertFalse(fs.rename(new Path("/none"), new Path("/none")));
    assertTrue(fs.rename(new Path("/b/f"), new Path("/b")), "to where it is");
    assertFalse(fs.rename(new Path("/"), new Path("/x")));
    assertTrue(fs.rename(new Path("/b"), new Path("/c")), "a tree");
    assertTrue(fs.exists(new Path("/c/g")));
    assertThrows(
        ParentNotDirectoryException.class, () -> fs.rename(new Path("/a"), new Path("/c/g/x")));
    assertFalse(fs.rename(new Path("/c"), new Path("/c2/x")));
    assertTrue(fs.rename(new Path("/c"), new Path("/cc")), "a longer name is not below");
  }

  /** The kind of target must not change between a look and the rename. */
  @Test
  void shouldRenameByOneRequestWhateverTheTargetIs() throws IOException {
    write("/a/f", bytes(5));
    write("/a/g", bytes(5));
    fs.mkdirs(new Path("/b"));
    Map<MetaRequest.OpCase, Integer> before = new EnumMap<>(systems.cluster().operations());
    assertTrue(fs.rename(new Path("/a/f"), new Path("/b")), "into a directory");
    assertTrue(fs.rename(new Path("/a/g"), new Path("/b/h")), "to a name that is free");
    assertFalse(fs.rename(new Path("/b/h"), new Path("/b/f")), "over a file");
    assertTrue(fs.rename(new Path("/b/h"), new Path("/b/h")), "a file to itself");
    assertTrue(fs.rename(new Path("/b/h"), new Path("/b")), "to where it is");
    assertFalse(fs.rename(new Path("/b"), new Path("/b/sub")), "below itself");
    assertFalse(fs.rename(new Path("/b"), new Path("/b/h")), "a directory over a file");
    before.merge(MetaRequest.OpCase.RENAME, 7, Integer::sum);
    assertEquals(before, systems.cluster().operations());
  }

  @Test
  void shouldRefuseToRenameToWhatIsNoPath() throws IOException {
    Path file = write("/f", bytes(1));
    String tooLong = "x".repeat(300);
    assertThrows(PathIOException.class, () -> fs.rename(file, new Path("/" + tooLong)));
    assertFalse(fs.rename(new Path("/" + tooLong), new Path("/g")));
    assertFalse(fs.rename(file, new Path("/.reserved/g")));
    assertTrue(fs.exists(file));
  }

  @Test
  void shouldRenameStrictlyWithOptions() throws IOException {
    Path a = write("/a", bytes(1));
    Path b = write("/b", bytes(2));
    fs.mkdirs(new Path("/d/full/x"));
    fs.mkdirs(new Path("/d/empty"));

    assertThrows(FileAlreadyExistsException.class, () -> fs.rename(a, b, Options.Rename.NONE));
    fs.rename(a, b, Options.Rename.OVERWRITE);
    assertEquals(1, fs.getFileStatus(b).getLen());
    assertThrows(
        FileNotFoundException.class, () -> fs.rename(a, new Path("/c"), Options.Rename.NONE));
    assertThrows(FileAlreadyExistsException.class, () -> fs.rename(b, b, Options.Rename.OVERWRITE));
    assertThrows(FileNotFoundException.class, () -> fs.rename(a, a, Options.Rename.NONE));
    fs.mkdirs(new Path("/e"));
    assertThrows(
        PathIsNotEmptyDirectoryException.class,
        () -> fs.rename(new Path("/e"), new Path("/d/full"), Options.Rename.OVERWRITE));
    fs.rename(new Path("/e"), new Path("/d/empty"), Options.Rename.OVERWRITE);
    assertFalse(fs.exists(new Path("/e")));
    assertThrows(
        IOException.class, () -> fs.rename(new Path("/"), new Path("/x"), Options.Rename.NONE));
  }

  @Test
  void shouldDeleteAndKeepTheRoot() throws IOException {
    write("/d/f", bytes(1));

    assertThrows(PathIsNotEmptyDirectoryException.class, () -> fs.delete(new Path("/d"), false));
    assertThrows(PathIsNotEmptyDirectoryException.class, () -> fs.delete(new Path("/"), false));
    assertFalse(fs.delete(new Path("/"), true));
    assertTrue(fs.exists(new Path("/d/f")));
    assertTrue(fs.delete(new Path("/d"), true));
    assertFalse(fs.delete(new Path("/d"), true));
    assertFalse(fs.delete(new Path("/"), false));
  }

  @Test
  void shouldListPageByPageWithLocations() throws IOException {
    for (int i = 0; i < 8; i++) {
      write("/d/f" + i, bytes((int) GROUP + 1));
    }
    fs.mkdirs(new Path("/d/sub"));
    systems.cluster().forgetCalls();

    FileStatus[] all = fs.listStatus(new Path("/d"));

    assertEquals(9, all.length);
    assertEquals(Map.of(MetaRequest.OpCase.LIST, 3), systems.cluster().operations());
    assertEquals(new Path("vdfs://test/d/f0"), all[0].getPath());
    LocatedFileStatus first = assertInstanceOf(LocatedFileStatus.class, all[0]);
    assertEquals(2, first.getBlockLocations().length);
    assertEquals(1, first.getBlockLocations()[1].getLength());
    assertNull(assertInstanceOf(LocatedFileStatus.class, all[8]).getBlockLocations());

    List<Path> iterated = new ArrayList<>();
    RemoteIterator<FileStatus> iterator = fs.listStatusIterator(new Path("/d"));
    while (iterator.hasNext()) {
      iterated.add(iterator.next().getPath());
    }
    assertEquals(Arrays.stream(all).map(FileStatus::getPath).toList(), iterated);
    assertEquals(8, RemoteIterators.toList(fs.listFiles(new Path("/"), true)).size());
    assertEquals(9, RemoteIterators.toList(fs.listLocatedStatus(new Path("/d"))).size());
    assertEquals(8, fs.globStatus(new Path("/d/f*")).length);
  }

  @Test
  void shouldListAFileAsItself() throws IOException {
    Path file = write("/d/f", bytes(1));

    FileStatus[] listed = fs.listStatus(file);

    assertEquals(1, listed.length);
    assertEquals(new Path("vdfs://test/d/f"), listed[0].getPath());
    assertThrows(FileNotFoundException.class, () -> fs.listStatus(new Path("/none")));
    assertThrows(FileNotFoundException.class, () -> fs.listStatusIterator(new Path("/none")));
    assertEquals(0, fs.listStatus(mkdir("/empty")).length);
  }

  private Path mkdir(String path) throws IOException {
    Path directory = new Path(path);
    fs.mkdirs(directory);
    return directory;
  }

  @Test
  void shouldTellWhereAFileLiesWithoutAnyCall() throws IOException {
    Path file = write("/f", bytes((int) (2 * GROUP + 7)));
    FileStatus status = fs.getFileStatus(file);
    systems.cluster().forgetCalls();

    BlockLocation[] locations = fs.getFileBlockLocations(status, 0, Long.MAX_VALUE);

    assertEquals(List.of(), systems.cluster().calls());
    assertEquals(3, locations.length);
    assertEquals(2 * GROUP, locations[2].getOffset());
    assertEquals(7, locations[2].getLength());
    assertEquals(3, locations[0].getHosts().length);
    assertTrue(locations[0].getNames()[0].matches("n\\d:200\\d"), locations[0].toString());
    assertEquals(1, fs.getFileBlockLocations(file, GROUP, 1).length);
    assertEquals(0, fs.getFileBlockLocations(file, 1 << 20, 1).length);
    assertNull(fs.getFileBlockLocations((FileStatus) null, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> fs.getFileBlockLocations(status, -1, 1));
  }

  @Test
  void shouldSumUpChecksumsAsHdfsByDefault() throws IOException {
    byte[] content = bytes(5000);
    Path file = write("/f", content);
    MessageDigest block = MD5Hash.getDigester();
    for (int start = 0; start < content.length; start += 512) {
      CRC32C crc = new CRC32C();
      crc.update(content, start, Math.min(512, content.length - start));
      block.update(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
    byte[] blocks = Arrays.copyOf(block.digest(), 32);

    assertEquals(
        new MD5MD5CRC32CastagnoliFileChecksum(512, 0, MD5Hash.digest(blocks)),
        fs.getFileChecksum(file));
    assertEquals(
        fs.getFileChecksum(write("/g", Arrays.copyOf(content, 700))),
        fs.getFileChecksum(file, 700));
    assertEquals(
        "MD5-of-0MD5-of-0CRC32:70bc8f4b72a86921468bf8e8441dce51",
        fs.getFileChecksum(write("/empty", bytes(0))).toString());
  }

  @Test
  void shouldCutAndJoinFilesAsHdfs() throws IOException {
    byte[] content = bytes(3000);
    Path target = write("/d/t", Arrays.copyOf(content, 1000));
    Path source = write("/d/s", Arrays.copyOfRange(content, 1000, 2000));
    Path second = write("/d/u", Arrays.copyOfRange(content, 2000, 3000));
    fs.setPermission(target, new FsPermission((short) 0640));

    fs.concat(target, new Path[] {source, second});
    assertArrayEquals(content, read(target));
    assertEquals(1, fs.listStatus(new Path("/d")).length);
    assertTrue(fs.truncate(target, 1234));
    assertArrayEquals(Arrays.copyOf(content, 1234), read(target));
    assertTrue(fs.truncate(target, 1234));
    assertTrue(fs.truncate(target, 0));
    assertEquals(0, fs.getFileStatus(target).getLen());
    assertEquals(0640, fs.getFileStatus(target).getPermission().toShort());
    assertEquals(1, fs.listStatus(new Path("/d")).length);
  }

  @Test
  void shouldRefuseToCutOrJoinWhatHdfsRefuses() throws IOException {
    Path target = write("/d/t", bytes(10));
    Path source = write("/d/s", bytes(10));
    Path empty = write("/d/e", bytes(0));
    Path elsewhere = write("/x", bytes(10));

    assertThrows(IOException.class, () -> fs.truncate(target, 11));
    assertThrows(IOException.class, () -> fs.truncate(target, -1));
    assertThrows(FileNotFoundException.class, () -> fs.truncate(new Path("/d"), 0));
    assertThrows(IOException.class, () -> fs.concat(target, new Path[0]));
    assertThrows(IOException.class, () -> fs.concat(target, new Path[] {target}));
    assertThrows(IOException.class, () -> fs.concat(target, new Path[] {source, source}));
    assertThrows(IOException.class, () -> fs.concat(target, new Path[] {empty}));
    assertThrows(IOException.class, () -> fs.concat(target, new Path[] {elsewhere}));
    assertThrows(
        FileNotFoundException.class, () -> fs.concat(target, new Path[] {new Path("/d/none")}));
    try (FSDataOutputStream out = fs.append(source)) {
      assertThrows(RemoteException.class, () -> fs.truncate(source, 0));
      assertThrows(RemoteException.class, () -> fs.concat(target, new Path[] {source}));
      out.write(1);
    }
    assertEquals(3, fs.listStatus(new Path("/d")).length);
    assertEquals(10, fs.getFileStatus(target).getLen());
  }

  @Test
  void shouldLeaveNothingBehindWhenCuttingFails() throws IOException {
    Path target = write("/d/t", bytes(10));
    systems.latest().content().failWriters();

    assertThrows(IOException.class, () -> fs.truncate(target, 5));
    assertEquals(1, fs.listStatus(new Path("/d")).length);
  }

  private void useCompositeChecksums() throws IOException {
    Configuration configuration = TestFileSystems.configuration();
    configuration.set("dfs.checksum.combine.mode", "composite_crc");
    fs = systems.initialized("alice", configuration);
  }

  private static int crc(byte[] content, int length) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, length);
    return (int) crc.getValue();
  }

  @Test
  void shouldSumUpChecksumsInTheModeAskedFor() throws IOException {
    useCompositeChecksums();
    byte[] content = bytes(10_000);
    Path file = write("/f", content);

    FileChecksum whole = fs.getFileChecksum(file);
    FileChecksum prefix = fs.getFileChecksum(file, 5000);

    assertEquals("COMPOSITE-CRC32C", whole.getAlgorithmName());
    assertEquals(crc(content, 10_000), ByteBuffer.wrap(whole.getBytes()).getInt());
    assertEquals(crc(content, 5000), ByteBuffer.wrap(prefix.getBytes()).getInt());
    assertThrows(FileNotFoundException.class, () -> fs.getFileChecksum(new Path("/")));
  }

  @Test
  void shouldSumUpAFileThatIsAppendedToAndAPinnedOne() throws Exception {
    useCompositeChecksums();
    byte[] content = bytes(10_010);
    Path file = write("/f", Arrays.copyOf(content, 10_000));
    try (FSDataOutputStream out = fs.append(file)) {
      out.write(content, 10_000, 10);
      out.hflush();
      assertEquals(
          crc(content, 10_000), ByteBuffer.wrap(fs.getFileChecksum(file).getBytes()).getInt());
    }
    FileKey key = key(file);
    try (AutoCloseable pin = fs.pin(file, key.fileId(), key.generation(), 10_000)) {
      assertEquals(
          crc(content, 10_000), ByteBuffer.wrap(fs.getFileChecksum(file).getBytes()).getInt());
      assertNotNull(pin);
    }
    assertEquals(
        crc(content, 10_010), ByteBuffer.wrap(fs.getFileChecksum(file).getBytes()).getInt());
  }

  @Test
  void shouldLowerAndRaiseAReplicationButNotRaiseThatOfAnOpenFile() throws IOException {
    Path file = write("/f", bytes(10));
    assertEquals(30, fs.getContentSummary(file).getSpaceConsumed());
    assertTrue(fs.setReplication(file, (short) 1));
    assertEquals(10, fs.getContentSummary(file).getSpaceConsumed());
    assertTrue(fs.setReplication(file, (short) 10));
    assertEquals(10, fs.getFileStatus(file).getReplication());
    assertEquals(30, fs.getContentSummary(file).getSpaceConsumed());
    assertTrue(fs.setReplication(file, (short) 1));
    try (FSDataOutputStream out = fs.append(file)) {
      out.write(1);
      assertFalse(fs.setReplication(file, (short) 10));
      assertEquals(1, fs.getFileStatus(file).getReplication());
    }
  }

  @Test
  void shouldKeepAttributes() throws IOException {
    Path file = write("/f", bytes(10));
    fs.setTimes(file, 1234, -1);
    long access = fs.getFileStatus(file).getAccessTime();
    fs.setTimes(file, -1, 99);
    fs.setPermission(file, new FsPermission((short) 0700));
    fs.setOwner(file, null, "users");
    assertTrue(fs.setReplication(file, (short) 10));
    assertFalse(fs.setReplication(new Path("/"), (short) 10));

    FileStatus status = fs.getFileStatus(file);
    assertEquals(1234, status.getModificationTime());
    assertTrue(access != 99 && status.getAccessTime() == 99);
    assertEquals((short) 0700, status.getPermission().toShort());
    assertEquals("users", status.getGroup());
    assertEquals(10, status.getReplication());
    assertThrows(FileNotFoundException.class, () -> fs.setTimes(new Path("/none"), 1, 1));
    assertThrows(IllegalArgumentException.class, () -> fs.setOwner(file, null, null));
  }

  @Test
  void shouldKeepExtendedAttributes() throws IOException {
    Path file = write("/f", bytes(1));
    byte[] value = "v".getBytes(StandardCharsets.UTF_8);
    fs.setXAttr(file, "user.a", value);
    fs.setXAttr(file, "User.b", null, EnumSet.of(XAttrSetFlag.CREATE));

    assertArrayEquals(value, fs.getXAttr(file, "user.a"));
    assertEquals(List.of("user.a", "user.b"), fs.listXAttrs(file));
    assertEquals(1, fs.getXAttrs(file, List.of("user.b")).size());
    assertThrows(IOException.class, () -> fs.getXAttr(file, "user.c"));
    assertThrows(IOException.class, () -> fs.getXAttrs(file, List.of("user.c")));
    assertThrows(IllegalArgumentException.class, () -> fs.getXAttr(file, "plain"));
    assertThrows(IllegalArgumentException.class, () -> fs.getXAttrs(file, List.of()));
    assertThrows(NullPointerException.class, () -> fs.getXAttr(file, null));
    EnumSet<XAttrSetFlag> none = EnumSet.noneOf(XAttrSetFlag.class);
    assertThrows(IllegalArgumentException.class, () -> fs.setXAttr(file, "user.c", value, none));
    fs.removeXAttr(file, "user.a");
    assertEquals(List.of("user.b"), fs.listXAttrs(file));
  }

  @Test
  void shouldShowExtendedAttributesToReadersOnly() throws IOException {
    Path file = write("/f", bytes(1));
    fs.setXAttr(file, "user.a", bytes(1));
    fs.setPermission(file, new FsPermission((short) 0600));
    systems.cluster().user("mallory");

    assertThrows(AccessControlException.class, () -> fs.listXAttrs(file));
    assertThrows(AccessControlException.class, () -> fs.getXAttrs(file));
  }

  @Test
  void shouldKeepAclsAsHdfs() throws IOException {
    Path directory = new Path("/d");
    fs.mkdirs(directory, new FsPermission((short) 0750));
    List<AclEntry> spec = AclEntry.parseAclSpec("user:bob:rw-,default:group:g:r-x", true);
    fs.modifyAclEntries(directory, spec);

    AclStatus status = fs.getAclStatus(directory);
    assertEquals("alice", status.getOwner());
    assertEquals(
        "[user:bob:rw-, group::r-x, default:user::rwx, default:group::r-x, default:group:g:r-x,"
            + " default:mask::r-x, default:other::---]",
        status.getEntries().toString());
    assertEquals(0770, fs.getFileStatus(directory).getPermission().toShort());
    assertTrue(fs.getFileStatus(directory).hasAcl());
    assertTrue(fs.listStatus(new Path("/"))[0].hasAcl());

    fs.mkdirs(new Path("/d/e"), new FsPermission((short) 0777)); // the umask does not count
    assertEquals(0770 & ~0020, fs.getFileStatus(new Path("/d/e")).getPermission().toShort());

    fs.removeAclEntries(directory, AclEntry.parseAclSpec("user:bob", false));
    assertEquals("[group::r-x]", fs.getAclStatus(directory).getEntries().subList(0, 1).toString());
    fs.removeDefaultAcl(directory);
    fs.setAcl(directory, AclEntry.parseAclSpec("user::rwx,group::---,other::r--", true));
    assertEquals(List.of(), fs.getAclStatus(directory).getEntries());
    assertEquals(0704, fs.getFileStatus(directory).getPermission().toShort());
    fs.modifyAclEntries(directory, AclEntry.parseAclSpec("user:bob:r-x", true));
    fs.removeAcl(directory);
    assertFalse(fs.getFileStatus(directory).hasAcl());
    assertThrows(
        IOException.class, () -> fs.setAcl(directory, AclEntry.parseAclSpec("user:bob:r-x", true)));
  }

  @Test
  void shouldCheckAccessOnTheServer() throws IOException {
    Path file = write("/f", bytes(1));
    fs.setPermission(file, new FsPermission((short) 0600));
    fs.modifyAclEntries(file, AclEntry.parseAclSpec("user:mallory:r--", true));
    systems.cluster().user("mallory");

    fs.access(file, FsAction.READ);
    assertThrows(AccessControlException.class, () -> fs.access(file, FsAction.READ_WRITE));
    assertThrows(FileNotFoundException.class, () -> fs.access(new Path("/none"), FsAction.NONE));
  }

  @Test
  void shouldSumUpATree() throws IOException {
    write("/d/f", bytes(10));
    write("/d/e/g", bytes(20));

    ContentSummary summary = fs.getContentSummary(new Path("/d"));

    assertEquals(30, summary.getLength());
    assertEquals(2, summary.getFileCount());
    assertEquals(2, summary.getDirectoryCount());
    assertEquals(90, summary.getSpaceConsumed());
  }

  @Test
  void shouldKeepQuotasAsHdfs() throws IOException {
    Path directory = new Path("/q");
    fs.mkdirs(directory);
    assertEquals(-1, fs.getQuotaUsage(directory).getQuota());
    assertThrows(AccessControlException.class, () -> fs.setQuota(directory, 3, 90));
    systems.cluster().user(FakeCluster.SUPERUSER);
    fs.setQuota(directory, 3, 90);
    write("/q/f", bytes(20));

    assertEquals(3, fs.getContentSummary(directory).getQuota());
    assertEquals(90, fs.getContentSummary(directory).getSpaceQuota());
    assertEquals(2, fs.getQuotaUsage(directory).getFileAndDirectoryCount());
    assertEquals(60, fs.getQuotaUsage(directory).getSpaceConsumed());
    FSDataOutputStream out = fs.create(new Path("/q/g"));
    out.write(bytes(10));
    out.write(1);
    assertThrows(ClusterStorageCapacityExceededException.class, out::close);
    assertThrows(ClusterStorageCapacityExceededException.class, () -> fs.create(new Path("/q/h")));

    fs.setQuota(directory, Long.MAX_VALUE, -1);
    assertEquals(3, fs.getQuotaUsage(directory).getQuota());
    assertEquals(-1, fs.getQuotaUsage(directory).getSpaceQuota());
    assertThrows(
        IllegalArgumentException.class,
        () -> fs.setQuota(directory, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  @Test
  void shouldSumUpTheRoomOfTheNodesThatAnswer() throws IOException {
    assertEquals(3000, fs.getStatus().getCapacity());
    systems.cluster().fault(2, FakeCluster.Fault.MUTE);

    assertEquals(2000, fs.getStatus(new Path("/")).getCapacity());
    assertEquals(600, fs.getStatus().getUsed());
    assertEquals(1200, fs.getStatus().getRemaining());
  }

  @Test
  void shouldOpenByAStatusWithoutAsking() throws Exception {
    byte[] content = bytes(3000);
    Path file = write("/d/f", content);
    FileStatus status = fs.listStatus(new Path("/d"))[0];
    systems.cluster().forgetCalls();

    try (FSDataInputStream in =
        fs.openFile(file)
            .withFileStatus(status)
            .must(Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, "random")
            .mustLong(Options.OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START, 0)
            .build()
            .get()) {
      assertArrayEquals(content, in.readAllBytes());
    }
    assertEquals(Map.of(), systems.cluster().operations());
    assertThrows(IllegalArgumentException.class, () -> fs.openFile(file).must("fs.x", "y").build());
    write("/d/g", bytes(1));
    ExecutionException e =
        assertThrows(
            ExecutionException.class,
            () -> fs.openFile(new Path("/d/g")).withFileStatus(status).build().get());
    assertEquals(IllegalArgumentException.class, e.getCause().getClass());
  }

  @Test
  void shouldReadAsTheOptionsOfOpenFileSay() throws Exception {
    Path file = write("/d/f", bytes(3000));

    assertEquals(ReadPattern.ADAPTIVE, patternOf(file, "adaptive", "", ""));
    assertEquals(Ahead.NEVER, patternOf(file, "random", "", "").ahead());
    assertEquals(Ahead.NEVER, patternOf(file, "vector", "", "").ahead());
    assertEquals(Ahead.NEVER, patternOf(file, "of-tomorrow, parquet, sequential", "", "").ahead());
    assertEquals(Ahead.AT_ONCE, patternOf(file, "whole-file", "", "").ahead());
    assertEquals(
        new ReadPattern(Ahead.AT_ONCE, 2000), patternOf(file, "sequential", "1000", "2000"));
    assertThrows(
        IllegalArgumentException.class, () -> patternOf(file, "sequential", "2000", "1000"));
  }

  private ReadPattern patternOf(Path file, String policy, String start, String end)
      throws Exception {
    FutureDataInputStreamBuilder builder =
        fs.openFile(file).opt(Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY, policy);
    if (!end.isEmpty()) {
      builder
          .opt(Options.OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START, start)
          .opt(Options.OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, end);
    }
    builder.build().get().close();
    return systems.latest().content().lastPattern();
  }

  @Test
  void shouldAskWhereAStatusIsNotEnoughToOpen() throws Exception {
    Path file = write("/d/f", bytes(1));
    fs.setPermission(file, new FsPermission((short) 0600));
    systems.cluster().user("mallory");
    FileStatus status = fs.getFileStatus(file);
    ExecutionException e =
        assertThrows(
            ExecutionException.class, () -> fs.openFile(file).withFileStatus(status).build().get());
    assertEquals(AccessControlException.class, e.getCause().getClass());
  }

  @Test
  void shouldOpenByHandlesAsTheyAllow() throws IOException {
    Path file = write("/d/f", bytes(10));
    FileStatus status = fs.getFileStatus(file);
    PathHandle exact = fs.getPathHandle(status, Options.HandleOpt.exact());
    PathHandle content = fs.getPathHandle(status, Options.HandleOpt.content());
    PathHandle path = fs.getPathHandle(status, Options.HandleOpt.path());
    PathHandle reference = fs.getPathHandle(status, Options.HandleOpt.reference());
    fs.open(exact).close();

    fs.rename(file, new Path("/d/g"));
    fs.open(content).close();
    fs.open(reference).close();
    assertThrows(InvalidPathHandleException.class, () -> fs.open(exact));
    assertThrows(InvalidPathHandleException.class, () -> fs.open(path));

    write("/d/f", bytes(5));
    fs.open(path).close();
    assertThrows(InvalidPathHandleException.class, () -> fs.open(exact));
    try (FSDataOutputStream out = fs.append(new Path("/d/g"))) {
      out.write(1);
    }
    fs.open(reference).close();
    assertThrows(InvalidPathHandleException.class, () -> fs.open(content));
    fs.delete(new Path("/d/g"), false);
    assertThrows(InvalidPathHandleException.class, () -> fs.open(reference));
    assertThrows(
        IllegalArgumentException.class, () -> fs.getPathHandle(fs.getFileStatus(new Path("/d"))));
    assertEquals(exact, VdfsPathHandle.of(exact));
    assertThrows(
        InvalidPathHandleException.class,
        () -> fs.open(new RawPathHandle(ByteBuffer.wrap(new byte[3]))));
  }

  @Test
  void shouldRefuseStrangers() throws IOException {
    write("/d/f", bytes(1));
    fs.setPermission(new Path("/d"), new FsPermission((short) 0700));
    systems.cluster().user("mallory");

    assertThrows(AccessControlException.class, () -> fs.open(new Path("/d/f")));
    assertThrows(AccessControlException.class, () -> fs.listStatus(new Path("/d")));
    assertThrows(AccessControlException.class, () -> fs.create(new Path("/d/g")));
  }

  @Test
  void shouldRefuseNamesThatCannotBeListed() {
    assertThrows(InvalidPathException.class, () -> fs.exists(new Path("/a:b")));
    assertThrows(InvalidPathException.class, () -> fs.mkdirs(new Path("/../a")));
    assertThrows(IllegalArgumentException.class, () -> fs.exists(new Path("vdfs://other/a")));
    assertThrows(IllegalArgumentException.class, () -> fs.exists(new Path("hdfs://test/a")));
  }

  @Test
  void shouldResolveRelativePathsAgainstTheWorkingDirectory() throws IOException {
    assertEquals(new Path("vdfs://test/user/alice"), fs.getHomeDirectory());
    assertEquals(fs.getHomeDirectory(), fs.getWorkingDirectory());
    fs.setWorkingDirectory(new Path("/w"));
    fs.setWorkingDirectory(new Path("x"));
    write("f", bytes(2));

    assertEquals(2, fs.getFileStatus(new Path("/w/x/f")).getLen());
    assertEquals(new Path("vdfs://test/w/x"), fs.getWorkingDirectory());
    assertEquals(new Path("vdfs://test/user/alice/.Trash"), fs.getTrashRoot(new Path("/w/x/f")));
  }

  @Test
  @SuppressWarnings("deprecation") // what MapReduce reads its counters from
  void shouldCountBytesByTheDistanceOfTheNodesTheyComeFrom() throws IOException {
    Configuration conf = TestFileSystems.configuration();
    conf.set("net.topology.node.switch.mapping.impl", ThirdElsewhere.class.getName());
    VdfsFileSystem ours = systems.initialized("alice", conf);
    int length = (int) (3 * GROUP);
    Path file = new Path("/f");
    try (FSDataOutputStream out = ours.create(file)) {
      out.write(bytes(length));
    }
    FileSystem.Statistics statistics =
        FileSystem.getStatistics(VdfsFileSystem.SCHEME, VdfsFileSystem.class);
    statistics.reset();
    long localOfThread = statistics.getThreadStatistics().getBytesReadLocalHost();
    ReadLocality whole = new ReadLocality();
    ReadLocality first = new ReadLocality();

    ReadLocality.Opener opener = ReadLocality.opener();
    assertNull(opener.countBy(whole));
    FSDataInputStream counted = ours.open(file);
    assertEquals(whole, opener.countBy(first));
    FSDataInputStream inner = ours.open(file);
    assertEquals(first, opener.countBy(null));
    try (FSDataInputStream uncounted = ours.open(file)) {
      uncounted.readFully(0, new byte[(int) GROUP]);
    }
    inner.readFully(0, new byte[(int) GROUP]);
    assertEquals(length, counted.readAllBytes().length);

    assertEquals(GROUP, whole.localBytes());
    assertEquals(GROUP, whole.rackBytes());
    assertEquals(GROUP, whole.remoteBytes());
    assertEquals(GROUP, first.localBytes() + first.rackBytes() + first.remoteBytes());
    assertEquals(5 * GROUP, statistics.getBytesRead());
    assertEquals(
        5 * GROUP,
        statistics.getBytesReadByDistance(0)
            + statistics.getBytesReadByDistance(2)
            + statistics.getBytesReadByDistance(4));
    assertTrue(statistics.getBytesReadByDistance(0) >= GROUP);
    assertTrue(statistics.getBytesReadByDistance(2) >= GROUP);
    assertTrue(statistics.getBytesReadByDistance(4) >= GROUP);
    assertEquals(
        statistics.getBytesReadByDistance(0),
        statistics.getThreadStatistics().getBytesReadLocalHost() - localOfThread);
    inner.close();
    counted.close();
    ours.close();
  }

  /** All but the third node are in this machine's rack. */
  public static final class ThirdElsewhere implements DNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> names) {
      return names.stream()
          .map(name -> name.equals(FakeCluster.host(2)) ? "/there" : "/here")
          .toList();
    }

    @Override
    public void reloadCachedMappings() {
      // nothing is cached
    }

    @Override
    public void reloadCachedMappings(List<String> names) {
      // nothing is cached
    }
  }

  @Test
  void shouldTellTheTruthAboutCapabilities() throws IOException {
    Path root = new Path("/");
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.FS_APPEND));
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.FS_XATTRS));
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.LEASE_RECOVERABLE));
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.FS_TRUNCATE));
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.FS_CONCAT));
    assertTrue(fs.hasPathCapability(root, CommonPathCapabilities.FS_ACLS));
    assertFalse(fs.hasPathCapability(root, CommonPathCapabilities.FS_SNAPSHOTS));
    assertNull(fs.getCanonicalServiceName());
    assertEquals(512, fs.getServerDefaults(root).getBytesPerChecksum());
    assertEquals(0, fs.getServerDefaults(root).getTrashInterval());
    assertTrue(fs.recoverLease(write("/f", bytes(1))));
  }

  @Test
  @SuppressWarnings("deprecation") // what MapReduce reads its counters from
  void shouldCountBytesAndOperations() throws IOException {
    FileSystem.Statistics statistics =
        FileSystem.getStatistics(VdfsFileSystem.SCHEME, VdfsFileSystem.class);
    statistics.reset();

    Path file = write("/f", bytes(5000));
    read(file);
    try (FSDataInputStream in = fs.open(file)) {
      in.readFully(1000, new byte[100]);
    }

    assertEquals(5000, statistics.getBytesWritten());
    assertEquals(5100, statistics.getBytesRead());
    assertEquals(1, statistics.getWriteOps());
    assertEquals(2, statistics.getReadOps());
    assertNotNull(fs.getStorageStatistics().getLong("bytesRead"));
    assertNotNull(fs.getStorageStatistics().getLong("bytes_by_local_delivery"));
    assertEquals(
        0L, IOStatisticsSupport.retrieveIOStatistics(fs).counters().get("bytes_by_local_delivery"));
  }

  @Test
  void shouldHaveNoStatisticsBeforeItIsInitialized() throws IOException {
    try (VdfsFileSystem fresh = new VdfsFileSystem()) {
      assertNull(IOStatisticsSupport.retrieveIOStatistics(fresh));
    }
  }

  @Test
  void shouldContactNoServerWhenCreated() {
    assertEquals(List.of(), systems.cluster().calls());
  }

  @Test
  void shouldShareOneClientPerUserUntilTheLastIsClosed() throws IOException {
    VdfsFileSystem second = systems.initialized();
    VdfsFileSystem bob = systems.initialized("bob", TestFileSystems.configuration());
    assertSame(fs.vdfsClient(), second.vdfsClient());
    assertEquals(2, systems.opened().size());

    fs.close();
    second.mkdirs(new Path("/still"));
    assertFalse(systems.opened().get(0).isClosed());
    second.close();
    second.close();

    assertTrue(systems.opened().get(0).isClosed());
    assertFalse(systems.opened().get(1).isClosed());
    assertEquals(1, systems.clients().size());
    assertThrows(IOException.class, () -> second.exists(new Path("/still")));
    bob.close();
    assertEquals(0, systems.clients().size());
  }

  @Test
  void shouldCompleteUnfinishedFilesWhenClosed() throws IOException {
    VdfsFileSystem other = systems.initialized();
    Path file = new Path("/f");
    FSDataOutputStream out = fs.create(file);
    out.write(bytes(10));
    FSDataInputStream in = fs.open(write("/g", bytes(10)));

    fs.close();

    assertThrows(IOException.class, () -> out.write(1));
    out.close();
    assertThrows(IOException.class, in::read);
    assertTrue(other.isFileClosed(file));
    assertEquals(10, other.getFileStatus(file).getLen());
  }

  /** Programs made for HDFS compare the name and then wait, or recover the lease. */
  @Test
  void shouldSayAsHdfsDoesThatAFileIsBeingWritten() throws IOException {
    Path file = write("/f", bytes(10));
    VdfsFileSystem other = systems.initialized("bob", TestFileSystems.configuration());
    try (FSDataOutputStream out = fs.append(file)) {
      for (Executable conflict :
          List.<Executable>of(
              () -> other.append(file), () -> other.create(file, false), () -> fs.append(file))) {
        RemoteException e = assertThrows(RemoteException.class, conflict);
        assertEquals(
            "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException", e.getClassName());
        assertTrue(e.getMessage().contains("/f"), e.getMessage());
      }
      out.write(1);
    }
  }

  @Test
  void shouldFailLoudlyWhenBytesCannotBeWritten() throws IOException {
    Path file = new Path("/f");
    FSDataOutputStream out = fs.create(file);
    out.write(bytes(10));
    systems.latest().content().failWriters();

    assertThrows(VdfsException.class, out::close);

    out.close();
    assertFalse(fs.isFileClosed(file));
  }

  @Test
  void shouldGiveAPinnedContentWhateverBecomesOfThePath() throws Exception {
    Path file = write("/in", bytes(100));
    FileKey pinned = key(file);
    try (AutoCloseable pin = fs.pin(file, pinned.fileId(), pinned.generation(), 60);
        AutoCloseable again = fs.pin(file, pinned.fileId(), pinned.generation(), 60)) {
      fs.rename(file, new Path("/moved"));
      write("/in", bytes(7));
      for (int node = 0; node < FakeCluster.NODES; node++) {
        systems.cluster().fault(node, Fault.DEAD);
      }

      assertArrayEquals(bytes(60), read(file));
      assertEquals(60, fs.getFileStatus(file).getLen());
      try (FSDataInputStream in = fs.openFile(file).build().get()) {
        byte[] end = new byte[60];
        assertEquals(10, in.read(50, end, 0, 60));
        assertEquals(-1, in.read(60, end, 0, 1));
        assertThrows(IOException.class, () -> in.seek(61));
      }
      assertNotNull(pin);
      assertNotNull(again);
      for (int node = 0; node < FakeCluster.NODES; node++) {
        systems.cluster().fault(node, Fault.NONE);
      }
      assertThrows(FileChangedException.class, () -> fs.pin(file, 1 + pinned.fileId(), 1, 60));
    }
    assertArrayEquals(bytes(7), read(file));
  }

  @Test
  void shouldGiveEachThreadTheContentThatItPinned() throws Exception {
    Path file = write("/in", bytes(100));
    FileKey key = key(file);
    ExecutorService otherTask = Executors.newSingleThreadExecutor();
    ExecutorService noTask = Executors.newSingleThreadExecutor();
    try (AutoCloseable pin = fs.pin(file, key.fileId(), key.generation(), 60)) {
      AutoCloseable others =
          otherTask.submit(() -> fs.pin(file, key.fileId(), key.generation(), 80)).get();
      assertEquals(60, read(file).length);
      assertEquals(80, otherTask.submit(() -> read(file).length).get());
      ExecutionException refused =
          assertThrows(ExecutionException.class, () -> noTask.submit(() -> read(file)).get());
      assertInstanceOf(FileChangedException.class, refused.getCause());
      others.close();
      assertEquals(60, noTask.submit(() -> read(file).length).get());
      assertNotNull(pin);
    } finally {
      otherTask.shutdown();
      noTask.shutdown();
    }
    assertEquals(100, read(file).length);
  }

  @Test
  void shouldSayThatAPinnedContentChanged() throws Exception {
    Path file = write("/in", bytes(100));
    FileKey key = key(file);

    assertThrows(
        FileChangedException.class, () -> fs.pin(file, key.fileId(), key.generation(), 101));
    assertThrows(
        FileChangedException.class, () -> fs.pin(file, key.fileId(), key.generation() + 1, 1));
    try (AutoCloseable pin = fs.pin(file, key.fileId(), key.generation(), 100)) {
      systems.latest().content().drop(key);
      Exception failed = assertThrows(FileChangedException.class, () -> read(file));
      assertTrue(failed.getMessage().contains("path=/in"), failed.getMessage());
      assertNotNull(pin);
    }
    fs.delete(file, false);
    assertThrows(
        FileChangedException.class, () -> fs.pin(file, key.fileId(), key.generation(), 100));
  }

  private static Configuration registered() {
    Configuration configuration = new Configuration();
    configuration.set("fs.vdfs.impl", VdfsFileSystem.class.getName());
    return configuration;
  }

  @Test
  void shouldBeFoundByItsSchemeAndContactNoServer() throws IOException {
    Configuration configuration = registered();
    configuration.set("fs.vdfs.cluster.main.zookeeper", "no.such.host.invalid:1");
    try (FileSystem named = FileSystem.newInstance(URI.create("vdfs://main/x"), configuration);
        FileSystem plain = FileSystem.newInstance(URI.create("vdfs:///"), configuration);
        FileSystem node = FileSystem.newInstance(URI.create("vdfs://h:9860/"), configuration)) {
      assertInstanceOf(VdfsFileSystem.class, named);
      assertEquals(URI.create("vdfs://main"), named.getUri());
      assertEquals(URI.create("vdfs:///"), plain.getUri());
      assertEquals(URI.create("vdfs://h:9860"), node.getUri());
      assertNull(node.getCanonicalServiceName());
    }
  }

  /** Programs that do not use VDFS load none of its classes, see docs/compatibility.md. */
  @Test
  void shouldNotBeFoundUnlessTheConfigurationNamesIt() {
    assertThrows(
        UnsupportedFileSystemException.class,
        () -> FileSystem.newInstance(URI.create("vdfs://main/"), new Configuration()));
  }

  @Test
  void shouldStandInForAnotherScheme() throws IOException {
    Configuration configuration = TestFileSystems.configuration();
    try (VdfsFileSystem alias = systems.create()) {
      alias.initialize(URI.create("hdfs://test/"), configuration);
      Path file = new Path("hdfs://test/f");
      alias.create(file).close();

      assertEquals("hdfs", alias.getScheme());
      assertEquals(URI.create("hdfs://test"), alias.getUri());
      assertEquals(file, alias.listStatus(new Path("/"))[0].getPath());
      assertEquals(file, alias.resolvePath(new Path("/f")));
      assertNotNull(alias.getStorageStatistics().getLong("writeOps"));
      assertThrows(IllegalArgumentException.class, () -> alias.exists(new Path("vdfs://test/f")));
    }
  }

  /** A default resource of our own would come after core-site.xml, and win. */
  @Test
  void shouldLeaveTheSettingsOfCoreSiteAlone() {
    for (Map.Entry<String, String> setting : new Configuration()) {
      assertFalse(setting.getKey().startsWith("fs.vdfs."), setting::toString);
    }
  }

  @Test
  void shouldNameClusterAndCureWhenItIsUnknown() {
    VdfsException e =
        assertThrows(
            VdfsException.class,
            () -> FileSystem.newInstance(URI.create("vdfs://nope/"), registered()));

    assertTrue(e.getMessage().contains("name=nope"), e.getMessage());
    assertTrue(e.getMessage().contains("fs.vdfs.cluster.nope.zookeeper"), e.getMessage());
  }
}

package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.tools.DistCpOptions;
import org.apache.hadoop.tools.mapred.CopyMapper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checksums equal those of HDFS, so {@code distcp -update} between the two copies nothing twice.
 * Blocks have 1 MiB, so files of a few megabytes have several.
 */
@Timeout(600)
class HdfsCopyIT {
  private static final int BLOCK = 1 << 20;
  private static final int[] SIZES = {
    0, 1, 511, 512, 513, 64 << 10, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 700, 5 * BLOCK
  };

  @TempDir static java.nio.file.Path directory;

  private static MiniDFSCluster hdfs;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.toString());
    hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
  }

  @AfterAll
  static void stop() {
    hdfs.shutdown();
  }

  private static Configuration configuration(String mode) {
    Configuration conf = SharedCluster.get().configuration();
    conf.set("dfs.checksum.combine.mode", mode);
    conf.set("mapreduce.framework.name", "local");
    // a cached filesystem would keep the mode of another test
    conf.setBoolean("fs.vdfs.impl.disable.cache", true);
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    return conf;
  }

  private static void write(FileSystem fs, Path path, int size) throws IOException {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    try (FSDataOutputStream out = fs.create(path, true, 4096, (short) 1, BLOCK)) {
      out.write(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"MD5MD5CRC", "COMPOSITE_CRC"})
  void shouldGiveTheChecksumsOfHdfs(String mode) throws IOException {
    try (FileSystem theirs = FileSystem.newInstance(hdfs.getURI(), configuration(mode));
        FileSystem ours = FileSystem.newInstance(SharedCluster.get().uri(), configuration(mode))) {
      for (int size : SIZES) {
        Path path = new Path("/checksums/" + size);
        write(theirs, path, size);
        write(ours, path, size);
        if (size > 0 || mode.startsWith("MD5")) {
          assertEquals(theirs.getFileChecksum(path), ours.getFileChecksum(path), "size=" + size);
        }
        int prefix = size / 2 + 1;
        if (size > 1) {
          assertEquals(
              theirs.getFileChecksum(path, prefix),
              ours.getFileChecksum(path, prefix),
              "prefix=" + prefix);
        }
      }
      assertNotEquals(
          ours.getFileChecksum(new Path("/checksums/512")),
          ours.getFileChecksum(new Path("/checksums/513")));
    }
  }

  @Test
  void shouldReadNothingForAChecksum() throws IOException {
    try (FileSystem ours =
        FileSystem.newInstance(SharedCluster.get().uri(), configuration("MD5MD5CRC"))) {
      int size = 3 * BLOCK + 700;
      Path path = new Path("/checksums/unread");
      write(ours, path, size);
      StorageStatistics counters = ours.getStorageStatistics();
      long read = bytesRead(counters);
      long digested = counters.getLong("bytes_digested_by_nodes");

      ours.getFileChecksum(path);
      assertEquals(read, bytesRead(counters));
      assertEquals(digested + size, counters.getLong("bytes_digested_by_nodes"));

      ours.open(path).readFully(0, new byte[size]);
      assertEquals(read + size, bytesRead(counters));
    }
  }

  private static long bytesRead(StorageStatistics counters) {
    return counters.getLong("bytes_by_socket")
        + counters.getLong("bytes_by_segment")
        + counters.getLong("bytes_by_local_delivery");
  }

  @Test
  void shouldReadWhereChunksOfHdfsDoNotFit() throws IOException {
    Configuration conf = configuration("MD5MD5CRC");
    conf.setInt("dfs.bytes-per-checksum", 3 * 512);
    try (FileSystem theirs = FileSystem.newInstance(hdfs.getURI(), conf);
        FileSystem ours = FileSystem.newInstance(SharedCluster.get().uri(), conf)) {
      Path path = new Path("/checksums/odd");
      int size = 700_000;
      int block = 3 << 20;
      for (FileSystem fs : List.of(theirs, ours)) {
        try (FSDataOutputStream out = fs.create(path, true, 4096, (short) 1, block)) {
          out.write(new byte[size]);
        }
      }
      long digested = ours.getStorageStatistics().getLong("bytes_digested_by_nodes");

      assertEquals(theirs.getFileChecksum(path), ours.getFileChecksum(path));
      assertEquals(digested, ours.getStorageStatistics().getLong("bytes_digested_by_nodes"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MD5MD5CRC, true",
    "MD5MD5CRC, false",
    "COMPOSITE_CRC, true",
    "COMPOSITE_CRC, false",
  })
  void shouldCopyNothingTwice(String mode, boolean toVdfs) throws Exception {
    Configuration conf = configuration(mode);
    String tree = "/copy-" + mode + "-" + toVdfs;
    try (FileSystem theirs = FileSystem.newInstance(hdfs.getURI(), conf);
        FileSystem ours = FileSystem.newInstance(SharedCluster.get().uri(), conf)) {
      FileSystem source = toVdfs ? theirs : ours;
      FileSystem target = toVdfs ? ours : theirs;
      for (int size : SIZES) {
        write(source, new Path(tree, "d" + size % 3 + "/" + size), size);
      }
      Path from = source.makeQualified(new Path(tree));
      Path to = target.makeQualified(new Path(tree));

      assertEquals(SIZES.length, copied(conf, mode, from, to));
      assertEquals(0, copied(conf, mode, from, to));
      write(source, new Path(tree, "d1/1"), 2);
      assertEquals(1, copied(conf, mode, from, to));
      assertEquals(
          source.getContentSummary(from).getLength(), target.getContentSummary(to).getLength());
    }
  }

  /** The files that {@code distcp -update} copied; in the default mode with the block size kept. */
  private static long copied(Configuration conf, String mode, Path from, Path to) throws Exception {
    DistCpOptions.Builder options =
        new DistCpOptions.Builder(List.of(from), to).withSyncFolder(true).maxMaps(2);
    if (mode.startsWith("MD5")) {
      options.preserve(DistCpOptions.FileAttribute.BLOCKSIZE);
    }
    Job job = new DistCp(conf, options.build()).execute();
    long skipped = job.getCounters().findCounter(CopyMapper.Counter.SKIP).getValue();
    long copied = job.getCounters().findCounter(CopyMapper.Counter.COPY).getValue();
    assertEquals(SIZES.length, skipped + copied);
    return copied;
  }

  @Test
  void shouldTellTheRoomOnAllVolumes() throws IOException {
    try (FileSystem ours = SharedCluster.get().newFileSystem()) {
      long disk = directory.toFile().getTotalSpace();
      assertEquals(3 * disk, ours.getStatus().getCapacity());
    }
  }
}

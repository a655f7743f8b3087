package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.hadoop.TestFileSystems;
import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VdfsOutputStreamTest {
  private static final Path FILE = new Path("/f");

  private VdfsFileSystem fs;
  private FSDataOutputStream out;

  @BeforeEach
  void open() throws IOException {
    fs = new TestFileSystems().initialized();
    out = fs.create(FILE);
  }

  private byte[] readBack() throws IOException {
    try (FSDataInputStream in = fs.open(FILE)) {
      return in.readAllBytes();
    }
  }

  @Test
  void shouldKeepTheOrderOfWritesOfAllSizes() throws IOException {
    Random random = new Random(5);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (int i = 0; i < 300; i++) {
      byte[] bytes = new byte[random.nextInt(i % 20 == 0 ? 40_000 : 300)];
      random.nextBytes(bytes);
      out.write(bytes);
      out.write(i);
      expected.write(bytes);
      expected.write(i);
      assertEquals(expected.size(), out.getPos());
    }
    out.close();

    assertArrayEquals(expected.toByteArray(), readBack());
  }

  @Test
  void shouldMakeBytesVisibleWithHflushAndHsync() throws IOException {
    out.write(1);
    out.hflush();
    assertArrayEquals(new byte[] {1}, readBack());
    out.write(2);
    out.hsync();
    assertArrayEquals(new byte[] {1, 2}, readBack());
  }

  @Test
  void shouldRefuseWritesOnceClosed() throws IOException {
    out.close();
    out.close();

    assertThrows(ClosedChannelException.class, () -> out.write(1));
    assertThrows(ClosedChannelException.class, () -> out.write(new byte[3]));
    assertThrows(ClosedChannelException.class, out::hflush);
    assertThrows(ClosedChannelException.class, out::hsync);
  }

  @Test
  void shouldRefuseRangesOutsideTheArray() {
    assertThrows(IndexOutOfBoundsException.class, () -> out.write(new byte[3], 1, 3));
  }

  /**
   * Bytes that earlier writes accepted are lost with a refused one, so the file must not be
   * completed.
   */
  @Test
  void shouldBeOverOnceAQuotaHasRefusedBytes() throws IOException {
    TestFileSystems systems = new TestFileSystems();
    VdfsFileSystem limited = systems.initialized();
    Path directory = new Path("/q");
    limited.mkdirs(directory);
    systems.cluster().user(FakeCluster.SUPERUSER);
    limited.setQuota(directory, Long.MAX_VALUE, 3 * 12_000);
    FSDataOutputStream writing = limited.create(new Path(directory, "f"));
    boolean refused = false;
    for (int i = 0; i < 4; i++) {
      try {
        writing.write(new byte[5000]);
      } catch (ClusterStorageCapacityExceededException e) {
        refused = true;
      }
    }

    assertTrue(refused);
    assertThrows(ClusterStorageCapacityExceededException.class, () -> writing.write(new byte[100]));
    assertThrows(ClusterStorageCapacityExceededException.class, writing::hflush);
    assertThrows(ClusterStorageCapacityExceededException.class, writing::close);
    writing.close();
    assertFalse(limited.isFileClosed(new Path(directory, "f")));
  }

  /** The file can be seen from its creation on, so nothing could be taken back. */
  @Test
  void shouldNotClaimToBeAbortable() {
    assertFalse(out.hasCapability(StreamCapabilities.ABORTABLE_STREAM));
    assertThrows(UnsupportedOperationException.class, out::abort);
  }
}

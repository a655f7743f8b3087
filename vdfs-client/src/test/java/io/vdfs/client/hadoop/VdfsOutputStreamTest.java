package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
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
}

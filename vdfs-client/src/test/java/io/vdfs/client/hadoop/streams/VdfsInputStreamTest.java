package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.TestFileSystems;
import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VdfsInputStreamTest {
  private static final int LENGTH = 5000;

  private final byte[] content = new byte[LENGTH];
  private FSDataInputStream in;

  @BeforeEach
  void open() throws IOException {
    for (int i = 0; i < LENGTH; i++) {
      content[i] = (byte) (i * 7);
    }
    VdfsFileSystem fs = new TestFileSystems().initialized();
    try (FSDataOutputStream out = fs.create(new Path("/f"))) {
      out.write(content);
    }
    in = fs.open(new Path("/f"));
  }

  @Test
  void shouldReadBytesAsUnsigned() throws IOException {
    in.seek(100);
    assertEquals(content[100] & 0xff, in.read());
    assertEquals(101, in.getPos());
    in.seek(LENGTH);
    assertEquals(-1, in.read());
    assertEquals(-1, in.read(new byte[10]));
    assertEquals(0, in.read(new byte[0]));
  }

  @Test
  void shouldRefuseToSeekOutside() throws IOException {
    assertThrows(EOFException.class, () -> in.seek(-1));
    EOFException e = assertThrows(EOFException.class, () -> in.seek(LENGTH + 1));
    assertTrue(e.getMessage().contains("length=5000"), e.getMessage());
    assertEquals(0, in.getPos());
  }

  @Test
  void shouldReadAtPositionsWithoutMoving() throws IOException {
    in.seek(17);
    byte[] bytes = new byte[3000];
    in.readFully(1500, bytes);
    assertArrayEquals(Arrays.copyOfRange(content, 1500, 4500), bytes);
    assertEquals(17, in.getPos());
    assertEquals(-1, in.read(LENGTH, bytes, 0, 1));
    assertEquals(0, in.read(LENGTH, bytes, 0, 0));
    assertThrows(EOFException.class, () -> in.readFully(LENGTH - 10, bytes));
    assertThrows(EOFException.class, () -> in.read(-1, bytes, 0, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> in.read(0, bytes, 2999, 2));
  }

  @Test
  void shouldFillByteBuffers() throws IOException {
    for (ByteBuffer buffer :
        new ByteBuffer[] {ByteBuffer.allocate(600), ByteBuffer.allocateDirect(600)}) {
      buffer.position(100);
      in.seek(50);
      assertEquals(500, in.read(buffer));
      buffer.flip().position(100);
      assertEquals(ByteBuffer.wrap(content, 50, 500), buffer);

      ByteBuffer large =
          buffer.isDirect() ? ByteBuffer.allocateDirect(4000) : ByteBuffer.allocate(4000);
      in.readFully(700, large);
      assertEquals(ByteBuffer.wrap(content, 700, 4000), large.flip());
      assertThrows(EOFException.class, () -> in.readFully(LENGTH - 1, ByteBuffer.allocate(2)));
      assertEquals(-1, in.read(LENGTH, ByteBuffer.allocate(2)));
    }
    assertEquals(0, in.read(ByteBuffer.allocate(0)));
  }

  @Test
  void shouldSkipNoFurtherThanTheEnd() throws IOException {
    assertEquals(10, in.skip(10));
    assertEquals(LENGTH - 10, in.skip(1_000_000));
    assertEquals(0, in.skip(1));
    assertEquals(0, in.skip(-5));
    assertEquals(0, in.available());
  }

  @Test
  void shouldRefuseEverythingOnceClosed() throws IOException {
    in.close();
    in.close();

    assertThrows(IOException.class, () -> in.read());
    assertThrows(IOException.class, () -> in.read(new byte[1]));
    assertThrows(IOException.class, () -> in.read(0, new byte[1], 0, 1));
    assertThrows(IOException.class, () -> in.seek(0));
    assertThrows(IOException.class, () -> in.available());
    assertThrows(IOException.class, () -> in.read(ByteBuffer.allocate(1)));
  }

  @Test
  void shouldReadOnAfterUnbuffer() throws IOException {
    in.readFully(new byte[10]);
    in.unbuffer();

    assertEquals(content[10] & 0xff, in.read());
  }

  @Test
  void shouldTellItsCapabilities() {
    assertTrue(in.hasCapability(StreamCapabilities.UNBUFFER));
    assertTrue(in.hasCapability(StreamCapabilities.READBYTEBUFFER));
    assertTrue(in.hasCapability(StreamCapabilities.PREADBYTEBUFFER));
    assertTrue(in.hasCapability(StreamCapabilities.VECTOREDIO));
    assertTrue(in.hasCapability(StreamCapabilities.IOSTATISTICS));
    assertFalse(in.hasCapability(StreamCapabilities.HSYNC));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadRangesSideBySide(boolean direct) throws Exception {
    List<FileRange> ranges =
        List.of(
            FileRange.createFileRange(4000, 1000),
            FileRange.createFileRange(0, 1),
            FileRange.createFileRange(10, 700));
    in.readVectored(ranges, direct ? ByteBuffer::allocateDirect : ByteBuffer::allocate);

    for (FileRange range : ranges) {
      ByteBuffer expected = ByteBuffer.wrap(content, (int) range.getOffset(), range.getLength());
      assertEquals(expected, range.getData().get(10, TimeUnit.SECONDS));
    }
    assertEquals(0, in.getPos());
    assertEquals(3L, counter(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES));
  }

  @Test
  void shouldRefuseRangesBeyondTheEndAtOnce() {
    List<FileRange> ranges = List.of(FileRange.createFileRange(LENGTH - 1, 2));
    assertThrows(EOFException.class, () -> in.readVectored(ranges, ByteBuffer::allocate));
  }

  @Test
  void shouldTellThroughItsFutureWhenARangeFails() throws Exception {
    FileRange range = FileRange.createFileRange(0, 10);
    IllegalStateException full = new IllegalStateException("no buffer left");
    in.readVectored(
        List.of(range),
        size -> {
          throw full;
        });

    ExecutionException e =
        assertThrows(ExecutionException.class, () -> range.getData().get(10, TimeUnit.SECONDS));
    assertSame(full, e.getCause());
  }

  private long counter(String name) {
    return in.getIOStatistics().counters().get(name);
  }

  @Test
  void shouldCountWhatIsRead() throws IOException {
    in.readFully(new byte[100]);
    in.seek(10);
    in.readFully(500, new byte[50]);

    assertEquals(150, counter(StreamStatisticNames.STREAM_READ_BYTES));
    assertEquals(1, counter(StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS));
  }
}

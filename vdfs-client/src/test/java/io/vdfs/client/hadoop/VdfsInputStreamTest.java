package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    assertFalse(in.hasCapability(StreamCapabilities.VECTOREDIO));
    assertFalse(in.hasCapability(StreamCapabilities.IOSTATISTICS));
  }
}

package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.TestFileSystems;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.values.VdfsFileStatus;
import io.vdfs.common.model.FileKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.HasEnhancedByteBufferAccess;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.io.ByteBufferPool;
import org.apache.hadoop.io.ElasticByteBufferPool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads with a pool behave like those of HDFS where it maps nothing. */
class PooledReadTest {
  private static final int LENGTH = 5000;
  private static final EnumSet<ReadOption> NO_OPTIONS = EnumSet.noneOf(ReadOption.class);

  private final TestFileSystems systems = new TestFileSystems();
  private final byte[] content = new byte[LENGTH];
  private VdfsFileSystem fs;
  private FSDataInputStream in;

  @BeforeEach
  void open() throws IOException {
    for (int i = 0; i < LENGTH; i++) {
      content[i] = (byte) (i * 11);
    }
    fs = systems.initialized();
    try (FSDataOutputStream out = fs.create(new Path("/f"))) {
      out.write(content);
    }
    in = fs.open(new Path("/f"));
  }

  /** Lends buffers of one kind and size, and remembers where they are. */
  private static final class CountingPool implements ByteBufferPool {
    final List<ByteBuffer> out = new ArrayList<>();
    final List<ByteBuffer> back = new ArrayList<>();
    private final boolean direct;
    private final int mostBytes;
    private boolean askedForDirect;

    CountingPool(boolean direct, int mostBytes) {
      this.direct = direct;
      this.mostBytes = mostBytes;
    }

    @Override
    public ByteBuffer getBuffer(boolean wantsDirect, int length) {
      askedForDirect = wantsDirect;
      int size = Math.min(length, mostBytes);
      ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
      out.add(buffer);
      return buffer;
    }

    @Override
    public void putBuffer(ByteBuffer buffer) {
      back.add(buffer);
    }
  }

  private ByteBuffer bytes(int from, int length) {
    return ByteBuffer.wrap(content, from, length);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldFillABufferOfThePoolAndMoveOn(boolean direct) throws IOException {
    CountingPool pool = new CountingPool(direct, Integer.MAX_VALUE);
    in.seek(100);

    ByteBuffer first = in.read(pool, 3333, NO_OPTIONS);
    assertEquals(bytes(100, 3333), first);
    assertSame(pool.out.get(0), first);
    assertTrue(pool.askedForDirect, "as HDFS asks");
    assertEquals(3433, in.getPos());
    assertEquals(3333, in.getIOStatistics().counters().get(StreamStatisticNames.STREAM_READ_BYTES));

    ByteBuffer rest = in.read(pool, LENGTH, NO_OPTIONS);
    assertEquals(bytes(3433, LENGTH - 3433), rest);
    assertEquals(LENGTH, in.getPos());
    assertEquals(List.of(), pool.back);

    in.releaseBuffer(rest);
    in.releaseBuffer(first);
    assertSame(rest, pool.back.get(0));
    assertSame(first, pool.back.get(1));
  }

  @Test
  void shouldBeServedByTheStreamItself() {
    assertInstanceOf(HasEnhancedByteBufferAccess.class, in.getWrappedStream());
  }

  @Test
  void shouldReadAWholeFileThroughHadoopsOwnPool() throws IOException {
    ElasticByteBufferPool pool = new ElasticByteBufferPool();
    int at = 0;
    for (ByteBuffer buffer = in.read(pool, 700); buffer != null; buffer = in.read(pool, 700)) {
      int length = Math.min(700, LENGTH - at);
      assertEquals(bytes(at, length), buffer);
      at += length;
      in.releaseBuffer(buffer);
    }
    assertEquals(LENGTH, at);
    assertEquals(1, pool.size(true), "one buffer served all reads");
  }

  @Test
  void shouldReadNoMoreThanASmallerBufferHolds() throws IOException {
    ByteBuffer buffer = in.read(new CountingPool(true, 64), 1000, NO_OPTIONS);
    assertEquals(bytes(0, 64), buffer);
    assertEquals(64, in.getPos());
  }

  @ParameterizedTest
  @EnumSource(ReadOption.class)
  void shouldReadTheSameWithEachOption(ReadOption option) throws IOException {
    CountingPool pool = new CountingPool(true, Integer.MAX_VALUE);
    assertEquals(bytes(0, 10), in.read(pool, 10, EnumSet.of(option)));
    assertEquals(bytes(10, 10), in.read(pool, 10, null));
  }

  @Test
  void shouldGiveAnEmptyBufferForNoBytesAndNoneAtTheEnd() throws IOException {
    CountingPool pool = new CountingPool(true, Integer.MAX_VALUE);
    ByteBuffer empty = in.read(pool, 0, NO_OPTIONS);
    assertFalse(empty.hasRemaining());
    in.releaseBuffer(empty);
    in.releaseBuffer(empty);
    assertEquals(0, in.read(null, 0, NO_OPTIONS).remaining());

    in.seek(LENGTH);
    assertEquals(0, in.read(pool, 0, NO_OPTIONS).remaining());
    assertNull(in.read(pool, 1, NO_OPTIONS));
    assertNull(in.read(null, 1, NO_OPTIONS));
    assertEquals(List.of(), pool.out);
    assertThrows(IllegalArgumentException.class, () -> in.read(pool, -1, NO_OPTIONS));
  }

  @Test
  void shouldNotReadWithoutABuffer() throws IOException {
    assertThrows(UnsupportedOperationException.class, () -> in.read(null, 10, NO_OPTIONS));
    ByteBufferPool none =
        new ByteBufferPool() {
          @Override
          public ByteBuffer getBuffer(boolean direct, int length) {
            return null;
          }

          @Override
          public void putBuffer(ByteBuffer buffer) {
            throw new AssertionError("given back: buffer=" + buffer);
          }
        };
    assertThrows(UnsupportedOperationException.class, () -> in.read(none, 10, NO_OPTIONS));

    CountingPool tiny = new CountingPool(true, 0);
    assertThrows(IllegalStateException.class, () -> in.read(tiny, 10, NO_OPTIONS));
    assertSame(tiny.out.get(0), tiny.back.get(0));
    assertEquals(0, in.getPos());
  }

  @Test
  void shouldTakeABufferBackOnce() throws IOException {
    CountingPool pool = new CountingPool(true, Integer.MAX_VALUE);
    ByteBuffer buffer = in.read(pool, 10, NO_OPTIONS);
    ByteBuffer equal = buffer.duplicate();
    ByteBuffer foreign = ByteBuffer.allocate(10);

    assertThrows(IllegalArgumentException.class, () -> in.releaseBuffer(equal));
    assertThrows(IllegalArgumentException.class, () -> in.releaseBuffer(foreign));
    in.releaseBuffer(buffer);
    assertThrows(IllegalArgumentException.class, () -> in.releaseBuffer(buffer));
    assertEquals(1, pool.back.size());
  }

  @Test
  void shouldRefuseToReadOnceClosedButTakeBuffersBack() throws IOException {
    CountingPool pool = new CountingPool(true, Integer.MAX_VALUE);
    ByteBuffer buffer = in.read(pool, 10, NO_OPTIONS);
    in.close();

    assertEquals(bytes(0, 10), buffer);
    assertThrows(IOException.class, () -> in.read(pool, 10, NO_OPTIONS));
    assertThrows(IOException.class, () -> in.read(pool, 0, NO_OPTIONS));
    assertEquals(1, pool.out.size());
    in.releaseBuffer(buffer);
    assertSame(buffer, pool.back.get(0));
  }

  @Test
  void shouldStayWhereItIsAndGiveTheBufferBackWhenReadingFails() throws IOException {
    CountingPool pool = new CountingPool(false, Integer.MAX_VALUE);
    FileKey file = ((VdfsFileStatus) fs.getFileStatus(new Path("/f"))).info().key();
    in.seek(500);
    systems.latest().content().loseFrom(file, 3000);

    assertThrows(IOException.class, () -> in.read(pool, 4000, NO_OPTIONS));
    assertSame(pool.out.get(0), pool.back.get(0));
    assertEquals(500, in.getPos());
    assertEquals(bytes(500, 2500), in.read(pool, 2500, NO_OPTIONS));
  }
}

package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VectoredReadsTest {
  private static final int LENGTH = 1000;

  private final ConcurrentLinkedQueue<ByteBuffer> allocated = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<ByteBuffer> released = new ConcurrentLinkedQueue<>();
  private final List<FileRange> ranges =
      List.of(FileRange.createFileRange(0, 10), FileRange.createFileRange(500, 20));

  @Test
  void shouldGiveEachRangeItsBytes() throws Exception {
    submit(new Counting(), this::allocate);

    for (FileRange range : ranges) {
      ByteBuffer data = range.getData().get(20, TimeUnit.SECONDS);
      assertEquals(range.getLength(), data.remaining());
      assertEquals((byte) range.getOffset(), data.get(data.position()));
    }
    assertEquals(List.of(), List.copyOf(released));
  }

  @Test
  void shouldReadNoMoreThanTheRangeIntoALargerBuffer() throws Exception {
    FileRange end = FileRange.createFileRange(LENGTH - 100, 100);

    VectoredReads.submit(
        new Counting(),
        LENGTH,
        List.of(end),
        length -> allocate(length + 4096).position(7),
        released::add);

    ByteBuffer data = end.getData().get(20, TimeUnit.SECONDS);
    assertEquals(100, data.remaining());
    for (int at = 0; at < 100; at++) {
      assertEquals((byte) (LENGTH - 100 + at), data.get(data.position() + at));
    }
    assertEquals(List.of(), List.copyOf(released));
  }

  @Test
  void shouldFailEveryRangeWhenThereIsNoMemory() throws Exception {
    OutOfMemoryError failure = new OutOfMemoryError("no buffer left");

    submit(
        new Counting(),
        length -> {
          throw failure;
        });

    assertAllFailed(failure);
    assertEquals(List.of(), List.copyOf(released));
  }

  @Test
  void shouldGiveTheBufferBackWhenReadingEndsWithAnError() throws Exception {
    Error failure = new StackOverflowError("too deep");

    submit(
        new Counting() {
          @Override
          public void readFully(long position, ByteBuffer target) {
            throw failure;
          }
        },
        this::allocate);

    assertAllFailed(failure);
    assertEquals(1, released.size(), "the ranges are read as one");
    assertSame(allocated.peek(), released.peek());
  }

  private void assertAllFailed(Throwable failure) {
    for (FileRange range : ranges) {
      ExecutionException failed =
          assertThrows(ExecutionException.class, () -> range.getData().get(20, TimeUnit.SECONDS));
      assertSame(failure, failed.getCause());
    }
  }

  private void submit(ByteBufferPositionedReadable source, IntFunction<ByteBuffer> allocate)
      throws IOException {
    VectoredReads.submit(source, LENGTH, ranges, allocate, released::add);
  }

  private ByteBuffer allocate(int length) {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    allocated.add(buffer);
    return buffer;
  }

  /** Each byte is its position, cut to eight bits. */
  private static class Counting implements ByteBufferPositionedReadable {
    @Override
    public int read(long position, ByteBuffer target) throws IOException {
      int bytes = target.remaining();
      readFully(position, target);
      return bytes;
    }

    @Override
    public void readFully(long position, ByteBuffer target) throws IOException {
      if (position + target.remaining() > LENGTH) {
        throw new EOFException("position=" + position + ", target=" + target);
      }
      for (long at = position; target.hasRemaining(); at++) {
        target.put((byte) at);
      }
    }
  }
}

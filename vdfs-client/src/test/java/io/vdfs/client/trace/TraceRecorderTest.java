package io.vdfs.client.trace;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TraceRecorderTest {
  private static final long BEGAN = 1_000_000;
  private static final TraceHeader HEADER =
      new TraceHeader(Instant.ofEpochSecond(1_800_000_000, 17), BEGAN, "host", 42, "attempt_1");

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private static TraceRecorder recorder(TraceRecorder.Sink sink, int capacity) {
    return new TraceRecorder(
        HEADER, "test", sink, capacity, Duration.ofMillis(1), Duration.ofSeconds(10));
  }

  private static void record(TraceRecorder recorder, int number) {
    recorder
        .claim(TraceOp.PREAD, BEGAN + number * 100L, BEGAN + number * 100L + 7)
        .path("/f" + number % 3)
        .range(number, 10)
        .result(5)
        .publish();
  }

  private static List<TraceRecord> read(byte[] file, AtomicInteger faults) throws IOException {
    List<TraceRecord> records = new ArrayList<>();
    try (TraceReader reader = new TraceReader("x", new ByteArrayInputStream(file))) {
      Optional<TraceRecord> next = reader.next();
      while (next.isPresent()) {
        records.add(next.get());
        next = reader.next();
      }
      faults.set(reader.fault().isPresent() ? 1 : 0);
    }
    return records;
  }

  @Test
  void shouldReadWhatWasRecorded() throws IOException {
    try (TraceRecorder recorder = recorder(() -> bytes, 64)) {
      recorder
          .claim(TraceOp.RENAME, BEGAN + 500, BEGAN + 900)
          .path("/a")
          .target("/ü")
          .failure(new FileNotFoundException("/a"))
          .publish();
      recorder
          .claim(TraceOp.WRITE, BEGAN + 100, BEGAN + 100)
          .path("/a")
          .range(0, 1L << 40)
          .calls(300)
          .result(1L << 40)
          .publish();
      recorder.claim(TraceOp.MSYNC, BEGAN, BEGAN + 1).publish();
    }
    String thread = Thread.currentThread().getName();
    try (TraceReader reader = new TraceReader("x", new ByteArrayInputStream(bytes.toByteArray()))) {
      assertEquals(HEADER, reader.header());
      long none = TraceSlot.NONE;
      assertEquals(
          new TraceRecord(
              500,
              400,
              thread,
              "rename",
              "/a",
              "/ü",
              none,
              none,
              1,
              none,
              FileNotFoundException.class.getName()),
          reader.next().orElseThrow());
      assertEquals(
          new TraceRecord(100, 0, thread, "write", "/a", "", 0, 1L << 40, 300, 1L << 40, ""),
          reader.next().orElseThrow());
      assertEquals(
          new TraceRecord(0, 1, thread, "msync", "", "", none, none, 1, none, ""),
          reader.next().orElseThrow());
      assertEquals(Optional.empty(), reader.next());
      assertEquals(Optional.empty(), reader.fault());
      assertEquals(0, reader.dropped());
    }
  }

  @Test
  void shouldLoseNothingOfManyThreads() throws Exception {
    int each = 20_000;
    TraceRecorder recorder = recorder(() -> bytes, 1 << 17);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int number = 0; number < each; number++) {
                  record(recorder, number);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    recorder.close();

    assertEquals(0, recorder.dropped());
    assertEquals(4L * each, recorder.written());
    List<TraceRecord> records = read(bytes.toByteArray(), new AtomicInteger());
    assertEquals(4 * each, records.size());
    assertEquals(4L * each * (each - 1) / 2, records.stream().mapToLong(TraceRecord::offset).sum());
  }

  @Test
  void shouldDropAndCountWhereTheSinkIsSlow() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    TraceRecorder recorder =
        recorder(
            () -> {
              opening.countDown();
              awaitQuietly(goOn);
              return bytes;
            },
            16);
    opening.await();
    for (int number = 0; number < 100; number++) {
      record(recorder, number); // must not wait
    }
    assertEquals(84, recorder.dropped());
    goOn.countDown();
    recorder.close();

    assertEquals(16, recorder.written());
    try (TraceReader reader = new TraceReader("x", new ByteArrayInputStream(bytes.toByteArray()))) {
      for (int number = 0; number < 16; number++) {
        assertEquals(number, reader.next().orElseThrow().offset());
      }
      assertEquals(Optional.empty(), reader.next());
      assertEquals(84, reader.dropped());
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldNotWaitForASinkThatNeverAnswers() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    TraceRecorder recorder =
        new TraceRecorder(
            HEADER,
            "test",
            () -> {
              awaitQuietly(goOn);
              return bytes;
            },
            16,
            Duration.ofMillis(1),
            Duration.ofMillis(50));
    record(recorder, 1);
    recorder.close();
    assertEquals(0, recorder.written());
    goOn.countDown();
    awaitThat(() -> recorder.written() == 1);
    recorder.close();
    assertEquals(1, recorder.written());
  }

  @Test
  void shouldCountWhatAFailedSinkDoesNotTake() throws IOException {
    TraceRecorder recorder =
        recorder(
            () -> {
              throw new IOException("no such directory");
            },
            1 << 10);
    for (int number = 0; number < 100; number++) {
      record(recorder, number);
    }
    recorder.close();
    assertEquals(100, recorder.lost());
    assertEquals(0, recorder.written());
    assertEquals(0, recorder.dropped());
  }

  @Test
  void shouldKeepWhatWasWrittenBeforeTheSinkIsFull() throws IOException {
    int room = 150_000;
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] from, int offset, int length) throws IOException {
            if (bytes.size() + length > room) {
              throw new IOException("no space left on device");
            }
            bytes.write(from, offset, length);
          }
        };
    int all = 60_000;
    TraceRecorder recorder = recorder(() -> full, 1 << 16);
    for (int number = 0; number < all; number++) {
      record(recorder, number);
    }
    recorder.close();

    assertTrue(recorder.lost() > 0);
    assertEquals(all, recorder.lost() + recorder.written());
    AtomicInteger faults = new AtomicInteger();
    List<TraceRecord> records = read(bytes.toByteArray(), faults);
    assertEquals(recorder.written(), records.size());
    assertEquals(1, faults.get());
  }

  @Test
  void shouldReadWhatIsWholeOfACutTrace() throws Exception {
    byte[] whole = small();
    List<TraceRecord> all = read(whole, new AtomicInteger());
    int most = 0;
    for (int length = 8; length < whole.length; length++) {
      AtomicInteger faults = new AtomicInteger();
      List<TraceRecord> some;
      try {
        some = read(Arrays.copyOf(whole, length), faults);
      } catch (VdfsException e) {
        assertEquals(ErrorCode.CORRUPT, e.code());
        continue;
      }
      assertEquals(1, faults.get(), "length=" + length);
      assertEquals(all.subList(0, some.size()), some);
      most = Math.max(most, some.size());
    }
    assertEquals(all.size(), most);
  }

  @Test
  void shouldNoticeEachByteThatIsWrong() throws Exception {
    byte[] whole = small();
    List<TraceRecord> all = read(whole, new AtomicInteger());
    for (int at = 0; at < whole.length; at++) {
      byte[] wrong = whole.clone();
      wrong[at] ^= 0x10;
      AtomicInteger faults = new AtomicInteger();
      try {
        List<TraceRecord> some = read(wrong, faults);
        assertEquals(1, faults.get(), "at=" + at);
        assertEquals(all.subList(0, some.size()), some);
      } catch (VdfsException e) {
        assertTrue(e.code() == ErrorCode.CORRUPT || e.code() == ErrorCode.INVALID_ARGUMENT);
      }
    }
  }

  /** A trace of several frames. */
  private byte[] small() throws Exception {
    OutputStream counted = bytes;
    TraceRecorder recorder = recorder(() -> counted, 64);
    for (int number = 0; number < 10; number++) {
      record(recorder, number);
      int expected = number + 1;
      awaitThat(() -> recorder.written() == expected);
    }
    recorder.close();
    return bytes.toByteArray();
  }

  @Test
  void shouldRefuseWhatIsNoTrace() {
    byte[] foreign = "<configuration>\n".getBytes(StandardCharsets.UTF_8);
    VdfsException refused =
        assertThrows(VdfsException.class, () -> read(foreign, new AtomicInteger()));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertThrows(VdfsException.class, () -> read(new byte[0], new AtomicInteger()));
  }

  @Test
  void shouldSayWhatItDoesNotKnowByNumber() {
    assertEquals("op-63", TraceOp.label(63));
    assertEquals("read-vectored", TraceOp.label(TraceOp.READ_VECTORED.code()));
  }
}

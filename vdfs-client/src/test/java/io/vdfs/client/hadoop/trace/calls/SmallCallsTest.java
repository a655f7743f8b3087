package io.vdfs.client.hadoop.trace.calls;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceReader;
import io.vdfs.client.trace.TraceRecord;
import io.vdfs.client.trace.TraceRecorder;
import io.vdfs.common.concurrent.DaemonThreads;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SmallCallsTest {
  private static final int WRITES = 100_000;

  /** As when one thread writes a log and another one forces it. */
  @Test
  void shouldLoseAndDoubleNothingWhereOneWritesAndAnotherForces() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    TraceHeader header = new TraceHeader(Instant.EPOCH, System.nanoTime(), "host", 1, "");
    Duration limit = Duration.ofSeconds(30);
    try (TraceRecorder recorder =
        new TraceRecorder(header, "memory", () -> bytes, 1 << 18, Duration.ofMillis(1), limit)) {
      SmallCalls small = new SmallCalls(recorder, "/log");
      AtomicBoolean over = new AtomicBoolean();
      AtomicLong flushes = new AtomicLong();
      Thread forces =
          DaemonThreads.of(
              "forces",
              () -> {
                while (!over.get()) {
                  small.flush();
                  flushes.incrementAndGet();
                }
              });
      forces.start();
      for (int write = 0; write < WRITES; write++) {
        small.add(TraceOp.WRITE, System.nanoTime(), write, 1, 1);
        if (write % (WRITES / 10) == 0) {
          long before = flushes.get();
          awaitThat(() -> flushes.get() > before);
        }
      }
      over.set(true);
      forces.join();
      small.flush();
      assertEquals(0, recorder.dropped());
    }
    long calls = 0;
    long written = 0;
    long records = 0;
    try (TraceReader reader =
        new TraceReader("memory", new ByteArrayInputStream(bytes.toByteArray()))) {
      for (Optional<TraceRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
        assertEquals(written, next.get().offset(), "where the one before ended");
        calls += next.get().calls();
        written += next.get().bytes();
        records++;
      }
    }
    assertEquals(WRITES, calls);
    assertEquals(WRITES, written);
    assertTrue(records > WRITES / (64 << 10) + 1, "the other thread never came in between");
  }
}

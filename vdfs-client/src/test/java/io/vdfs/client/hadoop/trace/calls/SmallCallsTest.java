package io.vdfs.client.hadoop.trace.calls;

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
  private static final int LEAST_WRITES = 100_000;

  /** As when one thread writes a log and another one forces it. */
  @Test
  void shouldLoseAndDoubleNothingWhereOneWritesAndAnotherForces() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int writes;
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
      small.add(TraceOp.WRITE, System.nanoTime(), 0, 1, 1);
      long before = flushes.get();
      // some of the forces begin and end while the writes go on
      for (writes = 1; writes < LEAST_WRITES || flushes.get() < before + 4; writes++) {
        small.add(TraceOp.WRITE, System.nanoTime(), writes, 1, 1);
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
    assertEquals(writes, calls);
    assertEquals(writes, written);
    assertTrue(records > writes / (64 << 10) + 1, "the other thread never came in between");
  }
}

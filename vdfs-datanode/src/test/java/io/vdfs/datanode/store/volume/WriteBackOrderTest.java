package io.vdfs.datanode.store.volume;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.datanode.store.StoreCounter;
import io.vdfs.datanode.store.StoreCounters;
import io.vdfs.datanode.store.WriteGate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which files the background forces, and how many in a turn. */
@Timeout(60)
class WriteBackOrderTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final double RATE = 150e6;
  private static final long MIB = 1 << 20;

  private final StoreCounters counters = new StoreCounters();
  private final WriteGate gate =
      new WriteGate(new WriteGate.Limits(LONG, LONG, 50 * MIB, LONG), counters);
  private final List<String> forced = new CopyOnWriteArrayList<>();

  /** A file of which so much is dirty. */
  private final class Dirty implements Settling {
    private final String name;
    private final long bytes;

    private Dirty(String name, long bytes) {
      this.name = name;
      this.bytes = bytes;
    }

    @Override
    public long dirtyBytes() {
      return bytes;
    }

    @Override
    public void settle(WriteGate.Pass pass) {
      pass.onForce(name, bytes);
      forced.add(name);
    }
  }

  /** One that is being forced until it may end. */
  private final class Slow implements Settling {
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @Override
    public long dirtyBytes() {
      return Long.MAX_VALUE / 2;
    }

    @Override
    public void settle(WriteGate.Pass pass) {
      forced.add("slow");
      Uninterruptibles.awaitUninterruptibly(mayEnd);
    }
  }

  private void request(WriteBack writeBack, String name, long bytes) {
    writeBack.request(new Dirty(name, bytes));
  }

  @Test
  void shouldForceTheFileWithMostBytesFirst() {
    WriteBack writeBack = new WriteBack("test", gate, () -> {});
    request(writeBack, "few", MIB);
    request(writeBack, "most", 3 * MIB);
    request(writeBack, "more", 2 * MIB);
    writeBack.work();
    assertEquals(List.of("most", "more", "few"), forced);
  }

  @Test
  void shouldForceAllFilesInOneTurnOnceTheyAreManyBytesTogether() throws Exception {
    WriteBack writeBack = new WriteBack("test", gate, () -> {});
    gate.onReading();
    writeBack.start();
    request(writeBack, "a", 20 * MIB);
    awaitThat(gate::hasWriteBackWaiting);
    request(writeBack, "b", 20 * MIB);
    assertEquals(List.of(), forced);
    request(writeBack, "c", 10 * MIB);
    awaitThat(gate::isDue);

    gate.giveTurn(RATE);

    assertEquals(3, forced.size());
    assertEquals(1, counters.get(StoreCounter.WRITE_BACK_TURNS));
    assertEquals(50 * MIB, counters.get(StoreCounter.FORCED_BYTES_IN_TURNS));
    assertEquals(3, counters.get(StoreCounter.WRITE_PLACES));
    gate.onIdle();
    writeBack.close();
  }

  @Test
  void shouldDoTheChoreWhileFilesWaitForTheirTurn() throws Exception {
    AtomicInteger chores = new AtomicInteger();
    WriteBack writeBack = new WriteBack("test", gate, chores::incrementAndGet);
    gate.onReading();
    request(writeBack, "a", MIB);
    writeBack.requestChore();
    writeBack.start();
    awaitThat(gate::hasWriteBackWaiting);
    assertEquals(1, chores.get());
    assertEquals(List.of(), forced);
    gate.onIdle();
    awaitThat(() -> forced.size() == 1);
    writeBack.requestChore();
    awaitThat(() -> chores.get() == 2);
    writeBack.close();
  }

  @Test
  void shouldForceNoMoreOnceTheTurnHasEnded() throws Exception {
    Duration turn = Duration.ofMillis(30);
    WriteGate shortGate = new WriteGate(new WriteGate.Limits(LONG, turn, 50 * MIB, LONG), counters);
    WriteBack writeBack = new WriteBack("test", shortGate, () -> {});
    Slow slow = new Slow();
    shortGate.onReading();
    writeBack.request(slow);
    request(writeBack, "next", MIB);
    writeBack.start();
    awaitThat(shortGate::hasWriteBackWaiting);
    shortGate.giveTurn(RATE);
    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS_CUT));

    slow.mayEnd.countDown();
    awaitThat(shortGate::hasWriteBackWaiting);
    assertEquals(List.of("slow"), forced);
    shortGate.onIdle();
    awaitThat(() -> forced.size() == 2);
    writeBack.close();
  }
}

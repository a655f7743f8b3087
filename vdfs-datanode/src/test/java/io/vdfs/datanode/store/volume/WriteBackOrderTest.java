package io.vdfs.datanode.store.volume;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.turns.TurnGate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
  private final TurnGate gate =
      new TurnGate(new TurnGate.Limits(LONG, LONG, 50 * MIB, LONG, LONG), counters);
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
    public void settle(TurnGate.Pass pass) {
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
    public void settle(TurnGate.Pass pass) {
      forced.add("slow");
      Uninterruptibles.awaitUninterruptibly(mayEnd);
    }
  }

  private void request(WriteBack writeBack, String name, long bytes) {
    writeBack.request(new Dirty(name, bytes));
  }

  @Test
  void shouldForceTheFileWithMostBytesFirst() {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
    request(writeBack, "few", MIB);
    request(writeBack, "most", 3 * MIB);
    request(writeBack, "more", 2 * MIB);
    writeBack.work();
    assertEquals(List.of("most", "more", "few"), forced);
  }

  @Test
  void shouldForceAllFilesInOneTurnOnceTheyAreManyBytesTogether() throws Exception {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
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
  void shouldForceAllThatMayWaitOnceOneOfThemMayWaitNoLonger() {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
    writeBack.start();
    for (int number = 0; number < WriteBack.MOST_LATER; number++) {
      writeBack.requestLater(new Dirty("file" + number, MIB));
    }
    assertEquals(List.of(), forced);
    writeBack.requestLater(new Dirty("one too many", MIB));
    awaitThat(() -> forced.size() == WriteBack.MOST_LATER + 1);
    writeBack.close();
  }

  @Test
  void shouldDoTheChoreWhileFilesWaitForTheirTurn() throws Exception {
    AtomicInteger chores = new AtomicInteger();
    WriteBack writeBack = new WriteBack("test", gate, counters, chores::incrementAndGet);
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
    TurnGate shortGate =
        new TurnGate(new TurnGate.Limits(LONG, turn, 50 * MIB, LONG, LONG), counters);
    WriteBack writeBack = new WriteBack("test", shortGate, counters, () -> {});
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

  @Test
  void shouldHoldWritersBackWhileMuchIsToBeForcedBesideAReader() throws Exception {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
    writeBack.start();
    request(writeBack, "unread", 50 * MIB);
    assertTrue(writeBack.room().isDone(), "nobody reads");
    awaitThat(() -> forced.size() == 1);

    gate.onReading();
    request(writeBack, "small", 20 * MIB);
    assertTrue(writeBack.room().isDone());
    Slow slow = new Slow();
    writeBack.request(slow);
    CompletableFuture<Void> first = writeBack.room();
    assertFalse(first.isDone());
    awaitThat(gate::hasWriteBackWaiting);
    Thread reader = new Thread(this::giveTurn);
    reader.start();
    awaitThat(() -> forced.contains("slow"));
    CompletableFuture<Void> second = writeBack.room();
    assertFalse(first.isDone() || second.isDone(), "what is being forced is dirty yet");
    assertEquals(2, counters.get(StoreCounter.WRITES_HELD_BACK));

    slow.mayEnd.countDown();
    first.get(20, TimeUnit.SECONDS);
    second.get(20, TimeUnit.SECONDS);
    assertTrue(writeBack.room().isDone());
    reader.join();
    writeBack.close();
  }

  private void giveTurn() {
    try {
      gate.giveTurn(RATE);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldLetWritersGoOnWhenTheReaderEnds() throws Exception {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
    writeBack.start();
    gate.onReading();
    request(writeBack, "much", 50 * MIB);
    CompletableFuture<Void> room = writeBack.room();
    assertFalse(room.isDone());

    gate.onIdle();
    room.get(20, TimeUnit.SECONDS);
    assertEquals(List.of("much"), forced);
    writeBack.close();
  }

  @Test
  void shouldLetWritersGoOnAfterAWhileThoughNothingIsForced() throws Exception {
    Duration hold = Duration.ofMillis(20);
    TurnGate hasty = new TurnGate(new TurnGate.Limits(LONG, LONG, 50 * MIB, LONG, hold), counters);
    WriteBack writeBack = new WriteBack("test", hasty, counters, () -> {});
    writeBack.start();
    hasty.onReading();
    request(writeBack, "much", 50 * MIB);

    writeBack.room().get(20, TimeUnit.SECONDS);
    writeBack.room().get(20, TimeUnit.SECONDS);
    assertEquals(2, counters.get(StoreCounter.WRITES_HELD_BACK));
    assertEquals(List.of(), forced);
    hasty.onIdle();
    writeBack.close();
    assertEquals(List.of("much"), forced);
  }

  @Test
  void shouldLetWritersGoOnWhenItIsClosed() throws Exception {
    WriteBack writeBack = new WriteBack("test", gate, counters, () -> {});
    writeBack.start();
    gate.onReading();
    Slow slow = new Slow();
    writeBack.request(slow);
    CompletableFuture<Void> room = writeBack.room();
    Thread closing = new Thread(writeBack::close);
    closing.start();
    room.get(20, TimeUnit.SECONDS);

    gate.onIdle();
    slow.mayEnd.countDown();
    closing.join();
    assertTrue(writeBack.room().isDone());
  }
}

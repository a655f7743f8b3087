package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.turns.TurnGate;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Read-backs that no client waits for go one after the other, and beside a reader in its turns. */
@Timeout(60)
class ReadBackTurnTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(30);

  private final StoreCounters counters = new StoreCounters();
  private final GateThreads threads = new GateThreads();
  private final CountDownLatch mayLeave = new CountDownLatch(1);

  private TurnGate gate(Duration longestTurn, Duration age) {
    return new TurnGate(
        new TurnGate.Limits(LONG, longestTurn, TurnGate.READ_BACK_BYTES, age, age), counters);
  }

  private Thread readBack(TurnGate gate, CountDownLatch until) {
    return threads.enter(gate::enterReadBack, until);
  }

  @Test
  void shouldGoOneAfterTheOtherWhereNothingIsRead() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    Thread first = readBack(gate, mayLeave);
    awaitThat(() -> threads.went() == 1);
    Thread second = readBack(gate, mayLeave);
    awaitThat(() -> gate.waitingToReadBack() == 1);
    assertEquals(1, threads.went());
    mayLeave.countDown();
    first.join();
    second.join();
    assertEquals(0, counters.get(StoreCounter.READ_BACK_TURNS));
    assertEquals(0, counters.get(StoreCounter.READ_BACKS_OUT_OF_PATIENCE));
  }

  @Test
  void shouldNotHoldUpForces() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    Thread readBack = readBack(gate, mayLeave);
    awaitThat(() -> threads.went() == 1);
    gate.enter().leave();
    assertEquals(0, counters.get(StoreCounter.WRITES_GATHERED));
    mayLeave.countDown();
    readBack.join();
  }

  @Test
  void shouldLetOneGoInATurnAndHaveTheReaderWaitForIt() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    Thread first = readBack(gate, mayLeave);
    Thread second = readBack(gate, mayLeave);
    awaitThat(() -> gate.waitingToReadBack() == 2);
    Thread reader = GateThreads.reader(gate);
    awaitThat(() -> threads.went() == 1 && reader.getState() == Thread.State.TIMED_WAITING);
    assertEquals(1, gate.waitingToReadBack());
    mayLeave.countDown();
    reader.join();
    gate.onIdle();
    first.join();
    second.join();
    assertEquals(1, counters.get(StoreCounter.READ_BACK_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS_CUT));
  }

  @Test
  void shouldLeaveTheReaderTheDiskForFourTimesAsLong() throws Exception {
    TurnGate gate = gate(SHORT, Duration.ofMinutes(1));
    gate.onReading();
    Thread first = readBack(gate, mayLeave);
    awaitThat(() -> gate.waitingToReadBack() == 1);
    GateThreads.giveTurn(gate);
    assertEquals(1, counters.get(StoreCounter.READ_BACK_TURNS));
    awaitThat(() -> threads.went() == 1);
    long began = System.nanoTime();
    awaitThat(() -> System.nanoTime() - began >= TimeUnit.MILLISECONDS.toNanos(300));
    Thread second = readBack(gate, mayLeave);
    awaitThat(() -> gate.waitingToReadBack() == 1);
    GateThreads.giveTurn(gate);
    assertEquals(1, counters.get(StoreCounter.READ_BACK_TURNS), "the first one reads still");
    long left = System.nanoTime();
    mayLeave.countDown();
    first.join();

    awaitThat(
        () -> {
          GateThreads.giveTurn(gate);
          return counters.get(StoreCounter.READ_BACK_TURNS) == 2;
        });
    assertTrue(System.nanoTime() - left >= TimeUnit.MILLISECONDS.toNanos(1100));
    second.join();
  }

  @Test
  void shouldGiveWayToTheWriteBack() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    Thread readBack = readBack(gate, mayLeave);
    Thread writeBack = new Thread(() -> gate.enterWriteBack(() -> 1).leave());
    writeBack.start();
    awaitThat(() -> gate.waitingToReadBack() == 1 && gate.hasWriteBackWaiting());
    GateThreads.giveTurn(gate);
    writeBack.join();
    assertEquals(0, threads.went());
    mayLeave.countDown();
    GateThreads.giveTurn(gate);
    readBack.join();
    assertEquals(1, counters.get(StoreCounter.READ_BACK_TURNS));
    assertEquals(1, counters.get(StoreCounter.WRITE_BACK_TURNS));
  }

  @Test
  void shouldBeDueWithinARunAfterItsAge() throws Exception {
    TurnGate gate = gate(LONG, Duration.ofSeconds(1));
    gate.onReading();
    long began = System.nanoTime();
    mayLeave.countDown();
    Thread readBack = readBack(gate, mayLeave);
    awaitThat(() -> gate.waitingToReadBack() == 1);
    awaitThat(gate::isDue);
    assertTrue(System.nanoTime() - began >= TimeUnit.SECONDS.toNanos(1));
    GateThreads.giveTurn(gate);
    readBack.join();
    assertFalse(gate.isDue());
  }

  @Test
  void shouldGoWithoutATurnWhereTheReaderHangs() throws Exception {
    TurnGate gate = gate(LONG, SHORT);
    gate.onReading();
    mayLeave.countDown();
    readBack(gate, mayLeave).join();
    assertEquals(1, counters.get(StoreCounter.READ_BACKS_OUT_OF_PATIENCE));
    assertEquals(0, gate.waitingToReadBack());
  }

  @Test
  void shouldGoWithoutATurnWhereTheOneBeforeHangs() throws Exception {
    TurnGate gate = gate(LONG, SHORT);
    Thread hanging = readBack(gate, mayLeave);
    awaitThat(() -> threads.went() == 1);
    gate.enterReadBack().leave();
    assertEquals(1, counters.get(StoreCounter.READ_BACKS_OUT_OF_PATIENCE));
    mayLeave.countDown();
    hanging.join();
  }

  @Test
  void shouldNotWaitWithoutPatience() {
    TurnGate gate = TurnGate.open();
    gate.onReading();
    TurnGate.Pass first = gate.enterReadBack();
    gate.enterReadBack().leave();
    first.leave();
  }

  @Test
  void shouldReadGroupsBackInTurnsUnlessACallerWaits() throws Exception {
    try (DiskBlockStore store =
        StoreOpener.open(
            new StoreContext(
                StoreFixture.config(ONE_VOLUME).withWritePatience(LONG),
                new SimulatedDisk(),
                ThreadingMode.CALLER),
            (directory, blocks) -> new HeapBlockIndex())) {
      StoreFixture.write(store, KEY, 0, content(1, GROUP), 1);
      TurnGate gate = store.turnGate(0);
      gate.onReading();
      assertEquals(GROUP, verify(store, ReadPace.AT_ONCE));

      AtomicInteger verified = new AtomicInteger();
      Thread inTurns = new Thread(() -> verified.set(verify(store, ReadPace.IN_TURNS)));
      inTurns.start();
      awaitThat(() -> gate.waitingToReadBack() == 1);
      GateThreads.giveTurn(gate);
      inTurns.join();
      assertEquals(GROUP, verified.get());
      assertEquals(1, store.counters().get(StoreCounter.READ_BACK_TURNS));
      assertEquals(0, store.counters().get(StoreCounter.WRITE_TURNS_CUT));

      gate.onIdle();
      assertEquals(GROUP, verify(store, ReadPace.IN_TURNS), "the turn was given back");
      assertEquals(0, store.counters().get(StoreCounter.READ_BACKS_OUT_OF_PATIENCE));
    }
  }

  private static int verify(DiskBlockStore store, ReadPace pace) {
    try {
      return (int) store.verify(KEY, 0, LeaseBound.NONE, List.of(), pace).verified();
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }
}

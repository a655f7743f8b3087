package io.vdfs.datanode.store.turns;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.writer;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.GateThreads;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.ForwardingFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Forces that wait for their turn beside a reader, and the reader that waits for them. */
@Timeout(60)
class TurnGateTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final double RATE = 150e6;
  private static final Duration SHORT = Duration.ofMillis(30);
  private static final long DIRTY = 1000;
  private static final byte[] FILE = content(1, 2 * GROUP);

  private final StoreCounters counters = new StoreCounters();
  private final GateThreads threads = new GateThreads();
  private final AtomicLong dirty = new AtomicLong();
  private final AtomicBoolean hadTime = new AtomicBoolean();

  private TurnGate gate(Duration patience, Duration longestTurn) {
    return gate(patience, longestTurn, LONG);
  }

  private TurnGate gate(Duration patience, Duration longestTurn, Duration age) {
    return new TurnGate(new TurnGate.Limits(patience, longestTurn, DIRTY, age, age), counters);
  }

  /** As {@link #force}, the way the background does it. */
  private Thread writeBack(TurnGate gate, CountDownLatch mayLeave) {
    return threads.enter(
        () -> {
          TurnGate.Pass pass = gate.enterWriteBack(dirty::get);
          hadTime.set(pass.hasTime());
          return pass;
        },
        mayLeave);
  }

  /** Goes through the gate and stays in its turn until it may leave. */
  private Thread force(TurnGate gate, CountDownLatch mayLeave) {
    return threads.enter(gate::enter, mayLeave);
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }

  @Test
  void shouldNotWaitWhereNothingIsRead() {
    TurnGate gate = gate(LONG, LONG);
    gate.enter().leave();
    gate.onReading();
    gate.onIdle();
    gate.enter().leave();
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS));
  }

  @Test
  void shouldNotWaitWithoutPatience() {
    TurnGate gate = gate(Duration.ZERO, LONG);
    gate.onReading();
    gate.enter().leave();
    assertEquals(0, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
  }

  @Test
  void shouldLetAllGoInOneTurnAndHaveTheReaderWaitForThem() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    CountDownLatch mayLeave = new CountDownLatch(1);
    List<Thread> forces = new ArrayList<>();
    for (int count = 0; count < 3; count++) {
      forces.add(force(gate, mayLeave));
    }
    awaitThat(() -> gate.waiting() == 3);
    assertEquals(0, threads.went());

    Thread reader = GateThreads.reader(gate);
    awaitThat(() -> threads.went() == 3 && waits(reader));
    mayLeave.countDown();
    reader.join();
    for (Thread force : forces) {
      force.join();
    }

    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS));
    assertEquals(3, counters.get(StoreCounter.WRITES_IN_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS_CUT));
  }

  @Test
  void shouldGoWithoutATurnWhenPatienceEnds() {
    TurnGate gate = gate(SHORT, LONG);
    gate.onReading();
    long began = System.nanoTime();
    gate.enter().leave();
    assertTrue(System.nanoTime() - began >= SHORT.toNanos());
    assertEquals(1, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
    assertEquals(0, gate.waiting());
    assertFalse(gate.isDue());
  }

  @Test
  void shouldSayWhenATurnIsDueWithinARun() throws Exception {
    TurnGate gate = gate(Duration.ofSeconds(4), LONG);
    gate.onReading();
    assertFalse(gate.isDue());
    Thread force = force(gate, new CountDownLatch(0));
    awaitThat(gate::isDue);
    gate.giveTurn(RATE);
    force.join();
    assertFalse(gate.isDue());
    assertEquals(1, counters.get(StoreCounter.WRITES_IN_TURNS));
  }

  @Test
  void shouldLetThoseThatWaitGoWhenNothingIsReadAnyMore() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    Thread force = force(gate, new CountDownLatch(0));
    awaitThat(() -> gate.waiting() == 1);
    gate.onIdle();
    force.join();
    assertEquals(0, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
  }

  @Test
  void shouldGatherForcesBehindThoseUnderWayWhereNothingIsRead() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    CountDownLatch firstMayLeave = new CountDownLatch(1);
    CountDownLatch othersMayLeave = new CountDownLatch(1);
    Thread first = force(gate, firstMayLeave);
    awaitThat(() -> threads.went() == 1);
    Thread second = force(gate, othersMayLeave);
    Thread third = force(gate, othersMayLeave);
    awaitThat(() -> gate.waiting() == 2);
    assertEquals(1, threads.went());
    firstMayLeave.countDown();
    first.join();
    awaitThat(() -> threads.went() == 3);
    othersMayLeave.countDown();
    second.join();
    third.join();
    assertEquals(2, counters.get(StoreCounter.WRITES_GATHERED));
  }

  /** Has the gate expect company for some seconds after a force. */
  private TurnGate gateWithCompany(int small) throws Exception {
    TurnGate gate = gate(LONG, LONG);
    CountDownLatch firstMayLeave = new CountDownLatch(1);
    Thread first = threads.enter(gate::enterSmallFile, firstMayLeave);
    awaitThat(() -> threads.went() == 1);
    for (int count = 0; count < small; count++) {
      threads.enter(gate::enterSmallFile, new CountDownLatch(0));
    }
    awaitThat(() -> gate.waiting() == small);
    long held = System.nanoTime();
    awaitThat(() -> System.nanoTime() - held > TimeUnit.SECONDS.toNanos(1));
    firstMayLeave.countDown();
    first.join();
    assertEquals(1, threads.went(), "more may come within some seconds");
    return gate;
  }

  @Test
  void shouldHaveSmallFilesWaitForOthersWhereSomeCameTogether() throws Exception {
    TurnGate gate = gateWithCompany(3);
    gate.enter().leave();
    awaitThat(() -> threads.went() == 4);
    assertEquals(3, counters.get(StoreCounter.WRITES_GATHERED));
    assertEquals(0, gate.waiting());
  }

  @Test
  void shouldLetSmallFilesGoWhereSoManyWaitThatThreadsBecomeFew() throws Exception {
    TurnGate gate = gateWithCompany(7);
    gate.enterSmallFile().leave();
    awaitThat(() -> threads.went() == 8);
    assertEquals(0, gate.waiting());
  }

  @Test
  void shouldLetSmallFilesGoWhereTheReaderBegins() throws Exception {
    TurnGate gate = gateWithCompany(3);
    gate.onReading();
    awaitThat(() -> threads.went() == 4);
  }

  @Test
  void shouldNotWaitLongForAForceThatHangs() throws Exception {
    TurnGate gate = gate(SHORT, LONG);
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread hanging = force(gate, mayLeave);
    awaitThat(() -> threads.went() == 1);
    gate.enter().leave();
    assertEquals(1, counters.get(StoreCounter.WRITES_GATHERED));
    mayLeave.countDown();
    hanging.join();
  }

  @Test
  void shouldNotCountOneOfAnEarlierTurnForALaterOne() throws Exception {
    TurnGate gate = gate(LONG, SHORT);
    gate.onReading();
    CountDownLatch firstMayLeave = new CountDownLatch(1);
    Thread first = force(gate, firstMayLeave);
    awaitThat(() -> gate.waiting() == 1);
    gate.giveTurn(RATE);
    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS_CUT));

    CountDownLatch secondMayLeave = new CountDownLatch(1);
    Thread second = force(gate, secondMayLeave);
    awaitThat(() -> gate.waiting() == 1);
    Thread reader = GateThreads.reader(gate);
    firstMayLeave.countDown();
    first.join();
    reader.join();
    assertEquals(2, counters.get(StoreCounter.WRITE_TURNS_CUT));
    secondMayLeave.countDown();
    second.join();
  }

  @Test
  void shouldKeepTheWriteBackWaitingUntilMuchIsDirty() throws Exception {
    TurnGate gate = gate(SHORT, LONG);
    gate.onReading();
    Thread writeBack = writeBack(gate, new CountDownLatch(0));
    awaitThat(gate::hasWriteBackWaiting);
    gate.enter().leave();
    assertEquals(1, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
    dirty.set(DIRTY - 1);
    assertFalse(gate.isDue());
    assertEquals(0, threads.went());

    dirty.set(DIRTY);
    assertTrue(gate.isDue());
    gate.giveTurn(RATE);

    writeBack.join();
    assertTrue(hadTime.get());
    assertEquals(1, counters.get(StoreCounter.WRITE_BACK_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITES_IN_TURNS));
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS_CUT));
  }

  @Test
  void shouldLetTheWriteBackGoWhereTheReaderLeavesItsPlace() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    Thread writeBack = writeBack(gate, new CountDownLatch(0));
    awaitThat(gate::hasWriteBackWaiting);
    gate.giveTurn(RATE);
    writeBack.join();
    assertEquals(1, counters.get(StoreCounter.WRITE_BACK_TURNS));
  }

  @Test
  void shouldGiveTheWriteBackATurnWhenItHasWaitedForItsAge() throws Exception {
    TurnGate gate = gate(LONG, LONG, Duration.ofSeconds(1));
    gate.onReading();
    Thread writeBack = writeBack(gate, new CountDownLatch(0));
    awaitThat(gate::hasWriteBackWaiting);
    awaitThat(gate::isDue);
    gate.giveTurn(RATE);
    writeBack.join();
    assertEquals(0, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
  }

  @Test
  void shouldLetTheWriteBackGoWithoutATurnWhereTheReaderHangs() throws Exception {
    TurnGate gate = gate(LONG, LONG, SHORT);
    gate.onReading();
    Thread writeBack = writeBack(gate, new CountDownLatch(0));
    writeBack.join();
    assertFalse(hadTime.get(), "for one file only");
    assertEquals(1, counters.get(StoreCounter.WRITES_OUT_OF_PATIENCE));
    assertFalse(gate.hasWriteBackWaiting());
  }

  @Test
  void shouldLetTheWriteBackGoOnWhereNothingIsReadAnyMore() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    Thread writeBack = writeBack(gate, new CountDownLatch(0));
    awaitThat(gate::hasWriteBackWaiting);
    gate.onIdle();
    writeBack.join();
    assertTrue(hadTime.get());
    assertEquals(0, counters.get(StoreCounter.WRITE_TURNS));
  }

  @Test
  void shouldLeaveTheReaderTheDiskForAsLongAsTheWriteBackHadIt() throws Exception {
    TurnGate gate = gate(LONG, SHORT);
    dirty.set(DIRTY);
    gate.onReading();
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread first = writeBack(gate, mayLeave);
    awaitThat(gate::hasWriteBackWaiting);
    gate.giveTurn(RATE);
    long cut = System.nanoTime();
    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS_CUT));
    awaitThat(() -> System.nanoTime() - cut >= TimeUnit.SECONDS.toNanos(1));
    long left = System.nanoTime();
    mayLeave.countDown();
    first.join();

    Thread second = writeBack(gate, mayLeave);
    awaitThat(gate::hasWriteBackWaiting);
    gate.giveTurn(RATE);
    assertEquals(1, counters.get(StoreCounter.WRITE_BACK_TURNS), "not yet");
    awaitThat(gate::isDue);
    assertTrue(System.nanoTime() - left >= left - cut, "as long as it took, not as its turn");
    gate.giveTurn(RATE);
    assertEquals(2, counters.get(StoreCounter.WRITE_BACK_TURNS));
    second.join();
  }

  @Test
  void shouldLetAForceJoinATurnUnderWay() throws Exception {
    TurnGate gate = gate(LONG, LONG);
    gate.onReading();
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread writeBack = writeBack(gate, mayLeave);
    awaitThat(gate::hasWriteBackWaiting);
    Thread reader = GateThreads.reader(gate);
    awaitThat(() -> threads.went() == 1 && waits(reader));
    CountDownLatch joinedMayLeave = new CountDownLatch(1);
    Thread joined = force(gate, joinedMayLeave);
    awaitThat(() -> threads.went() == 2);
    mayLeave.countDown();
    writeBack.join();
    assertTrue(reader.isAlive(), "the reader waits for the one that joined, too");
    joinedMayLeave.countDown();
    reader.join();
    joined.join();
    assertEquals(1, counters.get(StoreCounter.WRITES_IN_TURNS));
    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS));
  }

  @Test
  void shouldHoldNoWriterBackForSoLongThatPipelinesGiveTheNodeUp() {
    Duration hold = TurnGate.Limits.of(Duration.ofMinutes(1)).longestHold();
    Duration silence = TransferSettings.DEFAULT.hopLimit();
    assertTrue(hold.multipliedBy(2).compareTo(silence) < 0, "hold=" + hold);
  }

  @Test
  void shouldLengthenATurnByTheBytesOfTheWriteBack() {
    TurnGate.Limits usual = TurnGate.Limits.of(Duration.ofMillis(200));
    assertEquals(Duration.ofMillis(100), usual.turn(0, RATE));
    assertEquals(Duration.ofMillis(200), usual.turn(10_000_000, 100e6));
    assertEquals(Duration.ofMillis(600), usual.turn(10_000_000, 20e6));
    assertEquals(usual.turn(10_000_000, 100e6), usual.turn(10_000_000, 5e9), "from memory");
    assertEquals(usual.turn(64 << 20, RATE), usual.turn(1L << 40, RATE), "no more than is due");
    assertEquals(Duration.ofSeconds(1), usual.turn(64 << 20, 1e6), "the longest");
  }

  @Test
  void shouldWaitForAWriteBackThatHangsAsLongAsItsBytesShouldTake() throws Exception {
    TurnGate gate = gate(LONG, Duration.ofMillis(60));
    gate.onReading();
    dirty.set(DIRTY);
    CountDownLatch mayLeave = new CountDownLatch(1);
    Thread writeBack = writeBack(gate, mayLeave);
    awaitThat(gate::hasWriteBackWaiting);
    long began = System.nanoTime();
    gate.giveTurn(DIRTY * 5.0);
    assertTrue(System.nanoTime() - began >= Duration.ofMillis(260).toNanos());
    assertEquals(1, counters.get(StoreCounter.WRITE_TURNS_CUT));
    mayLeave.countDown();
    writeBack.join();
  }

  @Test
  void shouldCountWhereForcesMadeTheDiskGoElsewhere() {
    TurnGate gate = gate(LONG, LONG);
    TurnGate.Pass pass = gate.enter();
    pass.onForce("a", 10);
    pass.onForce("a", 10);
    pass.onForce("b", 10);
    pass.leave();
    assertEquals(2, counters.get(StoreCounter.WRITE_PLACES));
    gate.onReading();
    gate.onIdle();
    TurnGate.Pass afterRead = gate.enter();
    afterRead.onForce("b", 1);
    afterRead.leave();
    assertEquals(3, counters.get(StoreCounter.WRITE_PLACES));
    assertEquals(31, counters.get(StoreCounter.FORCED_BYTES));
    assertEquals(0, counters.get(StoreCounter.FORCED_BYTES_IN_TURNS));
  }

  /** A disk whose forces of data files hang until they may go on. */
  private static final class HangingForces extends ForwardingDisk {
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final CountDownLatch hangs = new CountDownLatch(1);

    private HangingForces(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      return new ForwardingFile(super.open(file)) {
        @Override
        public void force() throws IOException {
          if (file.toString().endsWith(CombinedFileName.DATA_SUFFIX)) {
            hangs.countDown();
            Uninterruptibles.awaitUninterruptibly(mayGoOn);
          }
          super.force();
        }
      };
    }
  }

  private static DiskBlockStore open(Disk disk) throws VdfsException {
    return StoreOpener.open(
        new StoreContext(
            StoreFixture.config(ONE_VOLUME).withWritePatience(PATIENCE),
            disk,
            ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  private static Thread sync(BlockWriter writer) {
    Thread thread =
        new Thread(
            () -> {
              try {
                writer.sync();
              } catch (VdfsException e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void shouldStopNoReaderWhenAForceHangs() throws Exception {
    HangingForces disk = new HangingForces(new SimulatedDisk());
    try (DiskBlockStore store = open(disk)) {
      TurnGate gate = store.turnGate(0);
      BlockWriter writer = writer(store, KEY, 0, 1, 0);
      append(writer, FILE, 0, 700);
      gate.onReading();
      Thread sync = sync(writer);
      awaitThat(() -> gate.waiting() == 1);

      gate.giveTurn(RATE);

      assertEquals(0, disk.hangs.getCount(), "the force did not hang");
      assertTrue(sync.isAlive());
      assertEquals(1, store.counters().get(StoreCounter.WRITE_TURNS_CUT));
      assertArrayEquals(content(1, 512), StoreFixture.read(store, KEY, 0, 0, 512));
      disk.mayGoOn.countDown();
      sync.join();
    }
  }

  @Test
  void shouldHoldNoLockWhileAForceWaitsForItsTurn() throws Exception {
    try (DiskBlockStore store = open(new SimulatedDisk())) {
      TurnGate gate = store.turnGate(0);
      BlockWriter writer = writer(store, KEY, 0, 1, 0);
      BlockWriter other = writer(store, KEY, 1, 1, GROUP);
      append(writer, FILE, 0, 700);
      gate.onReading();
      Thread sync = sync(writer);
      awaitThat(() -> gate.waiting() == 1);

      append(other, FILE, GROUP, GROUP + 700);
      other.checkpoint();
      store.fence(new FileKey(99, 1), 0, 4);
      assertEquals(1, gate.waiting());
      gate.giveTurn(RATE);
      sync.join();
      assertEquals(1, store.counters().get(StoreCounter.WRITES_IN_TURNS));
    }
  }
}

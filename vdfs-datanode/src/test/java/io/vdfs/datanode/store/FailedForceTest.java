package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.append;
import static io.vdfs.datanode.store.StoreFixture.content;
import static io.vdfs.datanode.store.StoreFixture.readGroup;
import static io.vdfs.datanode.store.StoreFixture.writer;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.ForwardingFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two writers who rely on one force, when the disk tells only the first of them what it lost. */
@Timeout(60)
class FailedForceTest {
  private static final FileKey NEIGHBOUR = new FileKey(KEY.fileId() + 1, 1);
  private static final int CUTS = 10;
  private static final Set<Thread.State> WAITS =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING, Thread.State.BLOCKED);

  private final SimulatedDisk disk = new SimulatedDisk();
  private final SlowToSaySo slow = new SlowToSaySo(disk);

  /** A failed force of a data file returns only when it is let go. */
  private static final class SlowToSaySo extends ForwardingDisk {
    private final CountDownLatch failed = new CountDownLatch(1);
    private final CountDownLatch mayReturn = new CountDownLatch(1);
    private final AtomicBoolean armed = new AtomicBoolean();

    private SlowToSaySo(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile open(Path file) throws IOException {
      return new ForwardingFile(super.open(file)) {
        @Override
        public void force() throws IOException {
          try {
            super.force();
          } catch (IOException e) {
            if (armed.get()) {
              failed.countDown();
              Uninterruptibles.awaitUninterruptibly(mayReturn);
            }
            throw e;
          }
        }
      };
    }
  }

  private static Thread start(BlockWriter writer, AtomicReference<Object> outcome) {
    Thread thread =
        new Thread(
            () -> {
              try {
                writer.sync();
                outcome.set("acknowledged");
              } catch (VdfsException e) {
                outcome.set(e);
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void shouldNotAcknowledgeToOneWriterWhatTheForceOfAnotherLost() throws Exception {
    DiskBlockStore store = StoreFixture.open(slow);
    byte[] file = content(1, 2 * GROUP);
    BlockWriter first = writer(store, KEY, 0, 1, 0);
    append(first, file, 0, 700);
    BlockWriter second = writer(store, KEY, 1, 1, GROUP);
    append(second, file, GROUP, GROUP + 700);
    first.checkpoint();
    second.checkpoint();
    slow.armed.set(true);
    disk.planNext(0, Fault.LOSE);
    AtomicReference<Object> firstOutcome = new AtomicReference<>();
    AtomicReference<Object> secondOutcome = new AtomicReference<>();

    Thread firstSync = start(first, firstOutcome);
    assertTrue(slow.failed.await(20, TimeUnit.SECONDS), "the fault did not fire");
    Thread secondSync = start(second, secondOutcome);
    awaitThat(() -> !secondSync.isAlive() || WAITS.contains(secondSync.getState()));
    slow.mayReturn.countDown();
    firstSync.join();
    secondSync.join();

    assertEquals(1, disk.fired());
    assertEquals(
        ErrorCode.IO_ERROR, assertInstanceOf(VdfsException.class, firstOutcome.get()).code());
    assertEquals(
        ErrorCode.IO_ERROR, assertInstanceOf(VdfsException.class, secondOutcome.get()).code());
    disk.kill();
    store.close();
  }

  @Test
  void shouldNotAcknowledgeToOneFileTheNamesThatTheForceOfAnotherLost() throws VdfsException {
    byte[] file = content(2, 700);
    int namesLost = 0;
    boolean fired = true;
    for (int step = 0; fired; step++) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        DiskBlockStore store = machine.start();
        BlockWriter first = writer(store, KEY, 0, 1, 0);
        append(first, file, 0, file.length);
        BlockWriter second = writer(store, NEIGHBOUR, 0, 1, 0);
        append(second, file, 0, file.length);
        int planned = machine.disk().operations() + step;
        machine.disk().planNext(step, Fault.LOSE);
        boolean acknowledged = close(first);
        fired = machine.disk().fired() > 0;
        if (fired && machine.disk().trace().get(planned).contains("force directory /d0/blocks/")) {
          assertFalse(acknowledged);
          namesLost++;
        }
        if (close(second)) {
          assertSurvives(machine.disk(), file);
        }
      }
    }
    assertTrue(namesLost > 0, "no names were lost");
  }

  private static boolean close(BlockWriter writer) {
    try {
      writer.close(true);
      return true;
    } catch (VdfsException e) {
      assertEquals(ErrorCode.IO_ERROR, e.code(), e.getMessage());
      return false;
    }
  }

  private static void assertSurvives(SimulatedDisk disk, byte[] file) throws VdfsException {
    for (int seed = 0; seed < CUTS; seed++) {
      try (Machine after = new Machine(ONE_VOLUME, disk.fork())) {
        after.cutPower(seed);
        assertArrayEquals(file, readGroup(after.start(), NEIGHBOUR, 0), "cut " + seed);
      }
    }
  }
}

package io.vdfs.datanode.store.disk;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Forces of directories after one that failed, and at the same time as another one. */
@Timeout(60)
class UnforgivingDiskTest {
  private static final Path DIRECTORY = Path.of("/d0/blocks");
  private static final Path ANOTHER = Path.of("/d0/blocks/00");

  private final Forcing below = new Forcing();
  private final Disk disk = new UnforgivingDisk(below);

  /** Counts forces; the first one may wait and fail. */
  private static final class Forcing extends ForwardingDisk {
    private final AtomicInteger forces = new AtomicInteger();
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private volatile Optional<IOException> failure = Optional.empty();
    private volatile boolean waits;

    private Forcing() {
      super(new SimulatedDisk());
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
      if (forces.incrementAndGet() > 1) {
        return;
      }
      began.countDown();
      if (waits) {
        Uninterruptibles.awaitUninterruptibly(mayEnd);
      }
      if (failure.isPresent()) {
        throw failure.get();
      }
    }
  }

  /** Callers of one force, each on a thread of its own. */
  private final class Callers {
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger failed = new AtomicInteger();

    private void add() {
      Thread thread =
          new Thread(
              () -> {
                try {
                  disk.forceDirectory(DIRECTORY);
                } catch (IOException e) {
                  failed.incrementAndGet();
                }
              });
      threads.add(thread);
      thread.start();
    }

    /** One is in the force, the others wait for it. */
    private void await() throws InterruptedException {
      for (Thread thread : threads) {
        awaitThat(() -> thread.getState() == Thread.State.WAITING);
      }
    }

    private void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private Callers threeAtOnce() throws InterruptedException {
    below.waits = true;
    Callers callers = new Callers();
    callers.add();
    assertTrue(below.began.await(20, TimeUnit.SECONDS));
    callers.add();
    callers.add();
    callers.await();
    below.mayEnd.countDown();
    callers.join();
    return callers;
  }

  @Test
  void shouldNotForceADirectoryAgainOnceThatFailed() throws IOException {
    below.failure = Optional.of(new IOException("Input/output error"));
    assertThrows(IOException.class, () -> disk.forceDirectory(DIRECTORY));
    for (int times = 0; times < 2; times++) {
      IOException refused = assertThrows(IOException.class, () -> disk.forceDirectory(DIRECTORY));
      assertTrue(refused.getMessage().contains("directory=" + DIRECTORY), refused::getMessage);
      assertTrue(refused.getMessage().contains("restart"), refused::getMessage);
      assertTrue(refused.getMessage().contains("Input/output error"), refused::getMessage);
    }
    assertEquals(1, below.forces.get());

    disk.forceDirectory(ANOTHER);
    assertEquals(2, below.forces.get());
  }

  @Test
  void shouldForceAgainWhereTheDiskWasNotToBlame() throws IOException {
    for (IOException harmless :
        List.of(
            new ClosedByInterruptException(),
            new FileSystemException("/d0/blocks", null, "planted"),
            new TooManyOpenFilesException("planted"))) {
      below.forces.set(0);
      below.failure = Optional.of(harmless);
      assertThrows(harmless.getClass(), () -> disk.forceDirectory(DIRECTORY));
      disk.forceDirectory(DIRECTORY);
      assertEquals(2, below.forces.get());
    }
  }

  @Test
  void shouldLetAllWhoWaitedShareTheNextForce() throws InterruptedException, IOException {
    assertEquals(0, threeAtOnce().failed.get());
    assertEquals(2, below.forces.get());
    disk.forceDirectory(DIRECTORY);
    assertEquals(3, below.forces.get());
  }

  @Test
  void shouldTellAllWhoWaitedOfTheFailure() throws InterruptedException {
    below.failure = Optional.of(new IOException("Input/output error"));
    assertEquals(3, threeAtOnce().failed.get());
    assertEquals(1, below.forces.get());
  }
}

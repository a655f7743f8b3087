package io.vdfs.datanode.store.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class VolumeReaderTest {
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final ReadObserver observer =
      new ReadObserver() {
        @Override
        public void onQueue(int change) {
          queued.addAndGet(change);
        }

        @Override
        public void onRefused() {
          refused.incrementAndGet();
        }

        @Override
        public void onRead(ReadTask task, boolean continues, long run) {
          seen.add(task.file() + "@" + task.position() + (continues ? " on " : " seek ") + run);
        }
      };

  private record Task(long file, long position, int length, Runnable body, Runnable refusal)
      implements ReadTask {
    private static Task of(long file, long position) {
      return new Task(file, position, 100, () -> {}, () -> {});
    }

    @Override
    public int gap() {
      return 10;
    }

    @Override
    public void execute() {
      body.run();
    }

    @Override
    public void refuse() {
      refusal.run();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldReadInOrderAndCountRuns() {
    CountDownLatch done = new CountDownLatch(1);
    try (VolumeReader reader = new VolumeReader("test", 10, ReadOrder.fifo(), observer)) {
      reader.submit(Task.of(1, 0));
      reader.submit(Task.of(1, 100));
      reader.submit(Task.of(1, 210));
      reader.submit(Task.of(1, 321));
      reader.submit(Task.of(2, 421));
      reader.submit(new Task(2, 400, 100, done::countDown, () -> {}));
      assertEquals(6, queued.get());
      reader.start();
      await(done);
    }
    assertEquals(
        List.of(
            "1@0 seek 100",
            "1@100 on 200",
            "1@210 on 300",
            "1@321 seek 100",
            "2@421 seek 100",
            "2@400 seek 100"),
        seen);
    assertEquals(0, queued.get());
  }

  @Test
  void shouldRefuseWhatTheQueueCannotHold() {
    try (VolumeReader reader = new VolumeReader("test", 2, ReadOrder.fifo(), observer)) {
      assertTrue(reader.submit(Task.of(1, 0)));
      assertTrue(reader.submit(Task.of(1, 1)));
      assertFalse(reader.submit(Task.of(1, 2)));
      assertEquals(1, refused.get());
    }
  }

  @Test
  void shouldFinishTheReadUnderWayAndRefuseTheOthersAtClose() {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch refusals = new CountDownLatch(1);
    List<String> finished = new CopyOnWriteArrayList<>();
    VolumeReader reader = new VolumeReader("test", 5, ReadOrder.fifo(), observer);
    reader.start();
    Runnable body =
        () -> {
          running.countDown();
          await(refusals);
          finished.add("first");
        };
    reader.submit(new Task(1, 0, 1, body, () -> {}));
    await(running);
    reader.submit(new Task(1, 1, 1, () -> finished.add("never"), () -> refusals.countDown()));
    reader.close();
    assertEquals(List.of("first"), finished);
    assertEquals(0, refusals.getCount());
    assertFalse(reader.submit(Task.of(1, 0)));
  }
}

package io.vdfs.datanode.transfer.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SerialExecutorTest {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> ran = new ArrayList<>();
  private boolean rejecting;

  @Test
  void shouldLetOthersInBetweenTwoSteps() {
    SerialExecutor first = new SerialExecutor(this::submit);
    SerialExecutor second = new SerialExecutor(this::submit);
    step(first, "a1");
    step(first, "a2");
    step(first, "a3");
    step(second, "b1");
    step(second, "b2");

    runTasks();

    assertEquals(List.of("a1", "b1", "a2", "b2", "a3"), ran);
  }

  @Test
  void shouldGoOnBehindAStepThatFails() {
    SerialExecutor executor = new SerialExecutor(this::submit);
    executor.execute(
        () -> {
          throw new IllegalStateException("planted");
        });
    executor.execute(
        () -> {
          throw new LinkageError("planted");
        });
    step(executor, "a");
    runTasks();
    step(executor, "b");
    runTasks();

    assertEquals(List.of("a", "b"), ran);
  }

  @Test
  void shouldForgetAStepThatIsRejected() {
    SerialExecutor executor = new SerialExecutor(this::submit);
    rejecting = true;
    assertThrows(RejectedExecutionException.class, () -> step(executor, "rejected"));
    rejecting = false;
    step(executor, "a");
    step(executor, "b");

    runTasks();

    assertEquals(List.of("a", "b"), ran);
  }

  @Test
  void shouldRunAllThatItAcceptedWhenTheExecutorStops() {
    SerialExecutor executor = new SerialExecutor(this::submit);
    step(executor, "a");
    step(executor, "b");
    executor.execute(() -> step(executor, "added"));
    rejecting = true;

    runTasks();

    assertEquals(List.of("a", "b", "added"), ran);
    assertThrows(RejectedExecutionException.class, () -> step(executor, "rejected"));
  }

  @Test
  void shouldRunStepsInOrderAndNeverTwoAtATime() throws Exception {
    int steps = 1000;
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<AtomicInteger> lasts = new ArrayList<>();
    AtomicBoolean broken = new AtomicBoolean();
    try {
      for (int i = 0; i < 8; i++) {
        SerialExecutor executor = new SerialExecutor(pool);
        AtomicBoolean running = new AtomicBoolean();
        AtomicInteger last = new AtomicInteger();
        lasts.add(last);
        for (int step = 1; step <= steps; step++) {
          int number = step;
          executor.execute(
              () -> {
                boolean alone = running.compareAndSet(false, true);
                boolean next = last.incrementAndGet() == number;
                if (!alone || !next) {
                  broken.set(true);
                }
                running.set(false);
              });
        }
      }
    } finally {
      pool.shutdown();
    }
    assertTrue(pool.awaitTermination(20, TimeUnit.SECONDS));
    lasts.forEach(last -> assertEquals(steps, last.get()));
    assertTrue(!broken.get());
  }

  private void step(SerialExecutor executor, String name) {
    executor.execute(() -> ran.add(name));
  }

  private void submit(Runnable task) {
    if (rejecting) {
      throw new RejectedExecutionException("planted");
    }
    tasks.add(task);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }
}

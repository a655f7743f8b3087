package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.VdfsException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces combined files of one volume on a thread of its own, ahead of the writers who will ask for
 * it or who need not, and does one chore of the volume when nothing waits. A file waits at most
 * once. Thread-safe: {@code lock} guards the waiting files and the state.
 */
public final class WriteBack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBack.class);
  private static final long CLOSE_SECONDS = 30;

  /** After which time the system has written most of what nobody waits for by itself. */
  private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** As each of them keeps its file open. */
  private static final int MOST_LATER = 256;

  private enum State {
    NEW,
    RUNNING,
    CLOSED
  }

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Settling> waiting = new LinkedHashSet<>();

  /** When each was asked for, in nanoseconds. */
  private final Map<Settling, Long> later = new LinkedHashMap<>();

  private final Runnable chore;
  private boolean choreDue;
  private State state = State.NEW;

  /**
   * @param chore what {@link #requestChore} asks for
   */
  WriteBack(String name, Runnable chore) {
    this.chore = chore;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    lock.lock();
    try {
      state = State.RUNNING;
    } finally {
      lock.unlock();
    }
    thread.start();
  }

  /** Asks for a force; never blocks. Ignored after close. */
  public void request(Settling work) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        waiting.add(work);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks for a force within about a minute, of a file that nobody waits for; never blocks. Ignored
   * after close.
   */
  public void requestLater(Settling work) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        later.putIfAbsent(work, System.nanoTime());
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Asks for the chore, once; never blocks. Ignored after close. */
  void requestChore() {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        choreDue = true;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Optional<Runnable> next = take();
    while (next.isPresent()) {
      next.get().run();
      next = take();
    }
  }

  /** Forces what waits, on the calling thread; for a write-back without a thread. */
  public void work() {
    Optional<Runnable> next = poll();
    while (next.isPresent()) {
      next.get().run();
      next = poll();
    }
  }

  private Optional<Runnable> take() {
    lock.lock();
    try {
      while (state == State.RUNNING && waiting.isEmpty() && !choreDue && untilLate() > 0) {
        try {
          var unused = changed.awaitNanos(untilLate());
        } catch (InterruptedException e) {
          // only close ends this thread
        }
      }
      return poll();
    } finally {
      lock.unlock();
    }
  }

  /** Nanoseconds until a file that was asked for later is due; 0 if one is. */
  private long untilLate() {
    if (later.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long asked = later.values().iterator().next();
    boolean many = later.size() > MOST_LATER;
    return many ? 0 : Math.max(0, asked + LATER_NANOS - System.nanoTime());
  }

  private Optional<Runnable> poll() {
    lock.lock();
    try {
      boolean anyNow = state != State.RUNNING;
      if (!later.isEmpty() && (anyNow || untilLate() == 0)) {
        Settling late = later.keySet().iterator().next();
        later.remove(late);
        waiting.add(late);
      }
      if (!waiting.isEmpty()) {
        Settling next = waiting.iterator().next();
        waiting.remove(next);
        return Optional.of(() -> settle(next));
      }
      if (choreDue && state != State.CLOSED) {
        choreDue = false;
        return Optional.of(this::doChore);
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private void doChore() {
    try {
      chore.run();
    } catch (RuntimeException | Error e) {
      // the files still need this thread
      LOG.error("a volume's chore failed: thread={}", thread.getName(), e);
    }
  }

  private static void settle(Settling work) {
    try {
      work.settle();
    } catch (VdfsException e) {
      // the file is suspect by now: its writers will hear of it
      LOG.error("background force failed: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      // the other files still need this thread
      LOG.error("background force failed: file={}", work, e);
    }
  }

  /** Forces what waits, then stops. */
  @Override
  public void close() {
    boolean started;
    lock.lock();
    try {
      started = state == State.RUNNING;
      state = State.CLOSED;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (started) {
      join();
    }
  }

  private void join() {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

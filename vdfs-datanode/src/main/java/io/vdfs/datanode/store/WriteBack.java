package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces combined files of one volume on a thread of its own, ahead of the writers who will ask for
 * it. A file waits at most once. Thread-safe: {@code lock} guards the waiting files and the state.
 */
final class WriteBack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBack.class);
  private static final long CLOSE_SECONDS = 30;

  private enum State {
    NEW,
    RUNNING,
    CLOSED
  }

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<CombinedFile, StoredFile> waiting = new LinkedHashMap<>();
  private State state = State.NEW;

  WriteBack(String name) {
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
  void request(StoredFile file, CombinedFile part) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        waiting.putIfAbsent(part, file);
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Optional<Map.Entry<CombinedFile, StoredFile>> next = take();
    while (next.isPresent()) {
      force(next.get().getValue(), next.get().getKey());
      next = take();
    }
  }

  /** Forces what waits, on the calling thread; for a write-back without a thread. */
  void work() {
    Optional<Map.Entry<CombinedFile, StoredFile>> next = poll();
    while (next.isPresent()) {
      force(next.get().getValue(), next.get().getKey());
      next = poll();
    }
  }

  private Optional<Map.Entry<CombinedFile, StoredFile>> take() {
    lock.lock();
    try {
      while (state == State.RUNNING && waiting.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      return poll();
    } finally {
      lock.unlock();
    }
  }

  private Optional<Map.Entry<CombinedFile, StoredFile>> poll() {
    lock.lock();
    try {
      if (waiting.isEmpty()) {
        return Optional.empty();
      }
      CombinedFile part = waiting.keySet().iterator().next();
      return Optional.of(Map.entry(part, waiting.remove(part)));
    } finally {
      lock.unlock();
    }
  }

  private static void force(StoredFile file, CombinedFile part) {
    try {
      file.forceInBackground(part);
    } catch (VdfsException e) {
      // the file is suspect by now: its writers will hear of it
      LOG.error("background force failed: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      // the other files still need this thread
      LOG.error("background force failed: file={}", part.path(), e);
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

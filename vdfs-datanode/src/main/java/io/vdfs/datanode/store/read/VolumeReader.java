package io.vdfs.datanode.store.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads a volume on one thread, so that its disk serves one stream at a time. Thread-safe: {@code
 * lock} guards the order and the state; the position of the last read is confined to the thread.
 *
 * <pre>
 *   NEW --start--> RUNNING --close--> CLOSED
 * </pre>
 */
public final class VolumeReader implements AutoCloseable {
  private static final long CLOSE_SECONDS = 30;

  private enum State {
    NEW,
    RUNNING,
    CLOSED
  }

  private final int depth;
  private final ReadOrder order;
  private final ReadObserver observer;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private State state = State.NEW;

  private long lastFile = -1;
  private long lastEnd;
  private long run;

  /**
   * @param name of the thread
   * @param depth tasks that may wait
   * @param order used by this reader only
   */
  public VolumeReader(String name, int depth, ReadOrder order, ReadObserver observer) {
    this.depth = depth;
    this.order = order;
    this.observer = observer;
    this.thread = new Thread(this::run, name);
    this.thread.setDaemon(true);
  }

  public void start() {
    lock.lock();
    try {
      if (state != State.NEW) {
        throw new IllegalStateException("reader starts once: state=" + state);
      }
      state = State.RUNNING;
    } finally {
      lock.unlock();
    }
    thread.start();
  }

  /**
   * Queues a task. Never blocks.
   *
   * @return false if the queue is full or the reader closed: the task will not be called
   */
  public boolean submit(ReadTask task) {
    lock.lock();
    try {
      if (state == State.CLOSED || order.size() >= depth) {
        observer.onRefused();
        return false;
      }
      order.add(task);
      observer.onQueue(1);
      changed.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Optional<ReadTask> task = take();
    while (task.isPresent()) {
      read(task.get());
      task = take();
    }
  }

  private Optional<ReadTask> take() {
    lock.lock();
    try {
      while (state == State.RUNNING) {
        Optional<ReadTask> next = order.next();
        if (next.isPresent()) {
          observer.onQueue(-1);
          return next;
        }
        changed.awaitUninterruptibly();
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private void read(ReadTask task) {
    long skipped = task.position() - lastEnd;
    boolean continues = task.file() == lastFile && skipped >= 0 && skipped <= task.gap();
    run = continues ? run + task.length() : task.length();
    lastFile = task.file();
    lastEnd = task.position() + task.length();
    observer.onRead(task, continues, run);
    task.execute();
  }

  /** Lets the read under way finish and refuses those that wait. */
  @Override
  public void close() {
    List<ReadTask> waiting = new ArrayList<>();
    boolean started;
    lock.lock();
    try {
      started = state == State.RUNNING;
      state = State.CLOSED;
      for (Optional<ReadTask> next = order.next(); next.isPresent(); next = order.next()) {
        observer.onQueue(-1);
        waiting.add(next.get());
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    waiting.forEach(ReadTask::refuse);
    if (started && Thread.currentThread() != thread) {
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

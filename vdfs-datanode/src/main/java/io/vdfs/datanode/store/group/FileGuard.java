package io.vdfs.datanode.store.group;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Guards what a node knows of one file: its open writers, its deletion, and the state of its
 * combined files. Code that reads or changes these hands in a step; there is no other way past the
 * lock. A step may hand in others. Thread-safe.
 */
final class FileGuard {
  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long MOST_NANOS_FOR_OTHERS = TimeUnit.SECONDS.toNanos(1);

  private final ReentrantLock lock = new ReentrantLock();

  /** Work to be done while no other thread changes the file. */
  @FunctionalInterface
  interface Step<E extends Exception> {
    void run() throws E;
  }

  /** As {@link Step}, with a result. */
  @FunctionalInterface
  interface Question<T, E extends Exception> {
    T answer() throws E;
  }

  <E extends Exception> void run(Step<E> step) throws E {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }

  <T, E extends Exception> T get(Question<T, E> question) throws E {
    lock.lock();
    try {
      return question.answer();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits a moment for threads that wait for their steps: to be called between many steps that take
   * long, as the lock by itself goes to whoever asks at the right time. Not to be called in a step.
   */
  void letOthersGoFirst() {
    long begun = System.nanoTime();
    while (lock.hasQueuedThreads() && System.nanoTime() - begun < MOST_NANOS_FOR_OTHERS) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /**
   * Fails where code does not hold the guard, instead of letting two threads change a file at once.
   *
   * @throws IllegalStateException if the calling thread is not in a step
   */
  void checkHeld() {
    if (!lock.isHeldByCurrentThread()) {
      throw new IllegalStateException("the state of a file is changed without its guard");
    }
  }
}

package io.vdfs.datanode.transfer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Bounds the bytes held for readers; who does not fit waits in line. A request larger than the
 * whole budget is let in alone. Thread-safe: the monitor guards all fields; grants run outside it,
 * on the thread that asked or released.
 */
final class ReadBudget {
  private record Waiter(long bytes, Runnable granted) {}

  private final long capacity;
  private final Queue<Waiter> waiters = new ArrayDeque<>();
  private long used;

  ReadBudget(long capacity) {
    this.capacity = capacity;
  }

  /**
   * As much as wanted, but no more than half of the memory that buffers may take: the rest is for
   * writers, for the disks' reader threads and for what the pool of buffers keeps.
   */
  static ReadBudget within(long wanted, long directMemory) {
    return new ReadBudget(Math.min(wanted, directMemory / 2));
  }

  long capacity() {
    return capacity;
  }

  /** Calls {@code granted} once {@code bytes} are set aside. */
  void acquire(long bytes, Runnable granted) {
    List<Runnable> ready;
    synchronized (this) {
      waiters.add(new Waiter(bytes, granted));
      ready = admit();
    }
    ready.forEach(Runnable::run);
  }

  void release(long bytes) {
    List<Runnable> ready;
    synchronized (this) {
      used -= bytes;
      ready = admit();
    }
    ready.forEach(Runnable::run);
  }

  private List<Runnable> admit() {
    List<Runnable> ready = new ArrayList<>();
    while (!waiters.isEmpty() && (used == 0 || used + waiters.element().bytes() <= capacity)) {
      Waiter next = waiters.remove();
      used += next.bytes();
      ready.add(next.granted());
    }
    return ready;
  }
}

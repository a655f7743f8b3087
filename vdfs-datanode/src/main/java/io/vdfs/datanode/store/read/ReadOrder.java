package io.vdfs.datanode.store.read;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * In which order a volume reads: holds the waiting tasks and picks the next. Confined to the
 * volume's queue lock; need not be thread-safe, must not block.
 */
public interface ReadOrder {
  void add(ReadTask task);

  /** Takes the task to read next; empty if none waits. */
  Optional<ReadTask> next();

  /** Number of tasks waiting. */
  int size();

  /** First come, first served. */
  static ReadOrder fifo() {
    Queue<ReadTask> waiting = new ArrayDeque<>();
    return new ReadOrder() {
      @Override
      public void add(ReadTask task) {
        waiting.add(task);
      }

      @Override
      public Optional<ReadTask> next() {
        return Optional.ofNullable(waiting.poll());
      }

      @Override
      public int size() {
        return waiting.size();
      }
    };
  }
}

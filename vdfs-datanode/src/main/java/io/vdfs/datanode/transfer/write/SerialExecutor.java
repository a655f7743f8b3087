package io.vdfs.datanode.transfer.write;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs steps in the order in which they come, one at a time, each as a separate task of the
 * executor below, so that after a step the tasks of others that wait there come first. Once a step
 * was accepted it runs, if need be on the thread of the one before, where the executor below takes
 * no more tasks. Thread-safe, except for {@link #execute}, which is called on one thread at a time:
 * the monitor guards all fields.
 */
final class SerialExecutor implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  private final Executor executor;
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  /** Whether a task that runs the next step was handed to the executor. */
  private boolean active;

  SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  /**
   * @throws RejectedExecutionException if the executor below takes no task; the step does not run
   */
  @Override
  public void execute(Runnable step) {
    if (add(step)) {
      try {
        executor.execute(this::takeTurn);
      } catch (RuntimeException | Error e) {
        withdraw();
        throw e;
      }
    }
  }

  private void takeTurn() {
    do {
      runNext();
    } while (hasNext() && !handOn());
  }

  private void runNext() {
    try {
      next().run();
    } catch (RuntimeException | Error e) {
      LOG.error("a step failed; those behind it go on", e);
    }
  }

  /** Whether another thread runs the next step. */
  private boolean handOn() {
    try {
      executor.execute(this::takeTurn);
      return true;
    } catch (RejectedExecutionException | Error e) {
      LOG.debug("going on without a turn of one's own", e);
      return false;
    }
  }

  /** Adds a step; returns whether a task is needed to run it. */
  private synchronized boolean add(Runnable step) {
    waiting.add(step);
    boolean first = !active;
    active = true;
    return first;
  }

  /** Takes the only step out again. */
  private synchronized void withdraw() {
    waiting.remove();
    active = false;
  }

  private synchronized Runnable next() {
    return waiting.remove();
  }

  private synchronized boolean hasNext() {
    active = !waiting.isEmpty();
    return active;
  }
}

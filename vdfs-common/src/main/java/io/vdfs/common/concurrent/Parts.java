package io.vdfs.common.concurrent;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of a daemon in the order in which they were started; closed the other way round.
 * Thread-safe: one lock guards the stack.
 */
public final class Parts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private boolean closed;

  /** Takes over {@code part}; closes it at once where the daemon is closing already. */
  public <T extends AutoCloseable> T add(T part) {
    boolean late;
    synchronized (started) {
      late = closed;
      if (!late) {
        started.push(part);
      }
    }
    if (late) {
      close(part);
    }
    return part;
  }

  /** Closes all; a part that fails to close is logged and does not keep the others. Idempotent. */
  @Override
  public void close() {
    for (AutoCloseable part = next(); part != null; part = next()) {
      close(part);
    }
  }

  private AutoCloseable next() {
    synchronized (started) {
      closed = true;
      return started.poll();
    }
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("A part of the daemon did not close: {}", part.getClass().getSimpleName(), e);
    }
  }
}

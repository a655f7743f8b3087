package io.vdfs.common.concurrent;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that do not keep their process alive. Stateless. */
public final class DaemonThreads {
  private DaemonThreads() {}

  /** A thread that is not started yet. */
  public static Thread of(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** Makes threads that all have this name. */
  public static ThreadFactory named(String name) {
    return work -> of(name, work);
  }

  /**
   * Makes threads that are numbered from 0.
   *
   * @param prefix a dash and the number follow
   */
  public static ThreadFactory numbered(String prefix) {
    AtomicInteger next = new AtomicInteger();
    return work -> of(prefix + "-" + next.getAndIncrement(), work);
  }
}

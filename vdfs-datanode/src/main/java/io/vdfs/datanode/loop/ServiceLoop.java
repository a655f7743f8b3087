package io.vdfs.datanode.loop;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The one thread of a service, and its clock. Thread-safe; tasks run one after the other. */
public interface ServiceLoop extends Executor {
  /** Runs {@code task} on the loop once {@code delay} has passed; dropped if the loop closes. */
  void schedule(Duration delay, Runnable task);

  /** Nanoseconds from an arbitrary origin; never goes back. */
  long nanoTime();
}

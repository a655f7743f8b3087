package io.vdfs.datanode.machine;

import io.vdfs.common.error.ErrorText;
import io.vdfs.datanode.command.ExitCodes;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at the first failure that it cannot survive: a trace goes to the log, and one
 * line that is never empty to standard error. Thread-safe.
 */
public final class FatalErrors implements Consumer<Throwable> {
  private static final Logger LOG = LoggerFactory.getLogger(FatalErrors.class);

  private final PrintStream err;
  private final IntConsumer exit;
  private final AtomicBoolean stopping = new AtomicBoolean();

  /**
   * @param exit ends the process; may wait for what runs on the thread that meets the failure
   */
  public FatalErrors(PrintStream err, IntConsumer exit) {
    this.err = err;
    this.exit = exit;
  }

  /** Returns at once; the process ends on another thread. */
  @Override
  public void accept(Throwable cause) {
    if (!stopping.compareAndSet(false, true)) {
      LOG.error("Another failure while the daemon stops", cause);
      return;
    }
    LOG.error("The daemon must stop", cause);
    err.println("vdfs-daemon: must stop: " + ErrorText.of(cause));
    new Thread(() -> exit.accept(ExitCodes.FAILED), "vdfs-fatal").start();
  }
}

package io.vdfs.it.quickstart;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends this process, and with it everything it has started. Thread-safe: the first of the main
 * thread and an interrupt decides on the exit code.
 *
 * <p>The JVM is halted: the servers inside have nothing to save, and shutdown hooks of clients
 * would wait for daemons that are gone.
 */
final class Ending {
  /** An interrupt at the terminal also ends children; the main thread may notice those first. */
  private static final Duration INTERRUPT_DELAY = Duration.ofMillis(500);

  private static final int FAILED = 1;
  private static final int INTERRUPTED = 130;

  private final RunDirectory run;
  private final Screen screen;
  private final Reaper reaper;
  private final CountDownLatch interrupted = new CountDownLatch(1);

  private Ending(RunDirectory run, Screen screen, Reaper reaper) {
    this.run = run;
    this.screen = screen;
    this.reaper = reaper;
  }

  /** Makes sure that nothing stays behind from now on, however this process ends. */
  static Ending prepare(RunDirectory run, Screen screen) throws IOException {
    Ending ending = new Ending(run, screen, Reaper.start(run));
    Runtime.getRuntime().addShutdownHook(new Thread(ending::onInterrupt, "quickstart-interrupt"));
    return ending;
  }

  /** Does not return. */
  void end() {
    halt(0);
  }

  /** Keeps the logs. Does not return. */
  void fail(String cause) throws InterruptedException {
    if (interrupted.await(INTERRUPT_DELAY.toMillis(), TimeUnit.MILLISECONDS)) {
      waitForHalt();
    }
    screen.error(cause + "; logs: " + run.logs());
    reaper.keepLogs();
    halt(FAILED);
  }

  private void onInterrupt() {
    interrupted.countDown();
    screen.error("interrupted, cleaning up");
    halt(INTERRUPTED);
  }

  private void halt(int exitCode) {
    if (!reaper.reap()) {
      screen.error("not everything could be removed: directory=" + run.root());
    }
    screen.flush();
    Runtime.getRuntime().halt(exitCode);
  }

  private static void waitForHalt() {
    while (true) {
      LockSupport.park();
    }
  }
}

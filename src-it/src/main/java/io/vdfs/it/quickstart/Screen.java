package io.vdfs.it.quickstart;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * What the user sees: a line for each finished phase with the time it took, and while one runs, how
 * far it is. On a terminal that line is rewritten; elsewhere it is printed now and then.
 * Thread-safe.
 */
final class Screen {
  private static final Duration TERMINAL_PAUSE = Duration.ofMillis(200);
  private static final Duration PLAIN_PAUSE = Duration.ofSeconds(15);
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream out;
  private final PrintStream err;
  private final boolean terminal;
  private final int width;
  private final LongSupplier nanoClock;

  // guarded by this
  private String phase = "";
  private long phaseStart;
  private long lastProgress;
  private boolean lineOpen;

  Screen(PrintStream out, PrintStream err, boolean terminal, int width, LongSupplier nanoClock) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.width = width;
    this.nanoClock = nanoClock;
  }

  /** The screen on which the process was started, as {@code quickstart.sh} has found it. */
  static Screen ofProcess() {
    return new Screen(
        System.out,
        System.err,
        "1".equals(System.getProperty("vdfs.quickstart.terminal")),
        Integer.getInteger("vdfs.quickstart.width", 80),
        System::nanoTime);
  }

  /** Begins a phase, which lasts until {@link #done}. */
  synchronized void begin(String name) {
    phase = name;
    phaseStart = nanoClock.getAsLong();
    lastProgress = phaseStart;
    if (terminal) {
      lastProgress -= TERMINAL_PAUSE.toNanos();
      rewrite("");
    }
  }

  /** Shows how far the phase is, unless that was done a moment ago. */
  synchronized void progress(String text) {
    long now = nanoClock.getAsLong();
    Duration pause = terminal ? TERMINAL_PAUSE : PLAIN_PAUSE;
    if (now - lastProgress < pause.toNanos()) {
      return;
    }
    lastProgress = now;
    if (terminal) {
      rewrite(text);
    } else {
      out.println(line("... " + text));
      out.flush();
    }
  }

  /** Ends the phase with its result. */
  synchronized void done(String result) {
    clear();
    out.println(line(result));
    out.flush();
  }

  synchronized void print(String text) {
    clear();
    out.println(text);
    out.flush();
  }

  synchronized void error(String text) {
    clear();
    flush();
    err.println("vdfs quickstart: " + text);
    err.flush();
  }

  synchronized void flush() {
    clear();
    out.flush();
  }

  private void rewrite(String text) {
    String line = line(text);
    out.print(CLEAR + line.substring(0, Math.min(line.length(), Math.max(1, width - 1))));
    out.flush();
    lineOpen = true;
  }

  private void clear() {
    if (lineOpen) {
      out.print(CLEAR);
      lineOpen = false;
    }
  }

  private String line(String text) {
    double seconds = (nanoClock.getAsLong() - phaseStart) / 1e9;
    return String.format(Locale.ROOT, "  %-10s %6.1f s  %s", phase, seconds, text);
  }
}

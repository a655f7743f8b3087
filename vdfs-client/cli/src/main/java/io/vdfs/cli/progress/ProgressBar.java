package io.vdfs.cli.progress;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * How far a command is: on a terminal one line that is rewritten, elsewhere a line now and then.
 * Confined to the command's thread.
 */
public final class ProgressBar {
  /** Columns of the terminal behind standard error, as {@code bin/vdfs} has found it; 0: none. */
  public static final String WIDTH = "vdfs.terminal.width";

  static final Duration TERMINAL_PAUSE = Duration.ofMillis(200);
  static final Duration PLAIN_PAUSE = Duration.ofSeconds(15);

  private static final String CLEAR = "\r\u001b[K";
  private static final int CELLS = 30;

  private final PrintWriter out;
  private final int width;
  private final LongSupplier nanoClock;
  private final long pauseNanos;
  private long shown;
  private boolean lineOpen;

  /**
   * @param width columns of the terminal behind {@code out}; 0 where there is none
   */
  public ProgressBar(PrintWriter out, int width, LongSupplier nanoClock) {
    this.out = out;
    this.width = width;
    this.nanoClock = nanoClock;
    this.pauseNanos = (isTerminal() ? TERMINAL_PAUSE : PLAIN_PAUSE).toNanos();
    // a terminal shows at once that work goes on; a command that ends soon fills no log
    this.shown = isTerminal() ? nanoClock.getAsLong() - pauseNanos : nanoClock.getAsLong();
  }

  /** On the stream beside the command's output, so that the output can be kept without it. */
  public static ProgressBar of(CommandSpec command) {
    return new ProgressBar(
        command.commandLine().getErr(), Integer.getInteger(WIDTH, 0), System::nanoTime);
  }

  public boolean isTerminal() {
    return width > 0;
  }

  /**
   * Shows how far the command is, unless that was done a moment ago.
   *
   * @param all 0 if it is not known: there is no bar then
   */
  public void show(long done, long all, String text) {
    long now = nanoClock.getAsLong();
    if (now - shown < pauseNanos) {
      return;
    }
    shown = now;
    String line = (all > 0 ? bar(Math.min(done, all), all) + "  " : "") + text;
    if (isTerminal()) {
      out.print(CLEAR + line.substring(0, Math.min(line.length(), width - 1)));
      lineOpen = true;
    } else {
      out.println(line);
    }
    out.flush();
  }

  private static String bar(long done, long all) {
    int cells = (int) (CELLS * done / all);
    return "[%s%s] %3d%%"
        .formatted("#".repeat(cells), "-".repeat(CELLS - cells), (int) (100 * done / all));
  }

  /** Takes the line away, before something else is printed. */
  public void clear() {
    if (lineOpen) {
      out.print(CLEAR);
      out.flush();
      lineOpen = false;
    }
  }
}

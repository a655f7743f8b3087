package io.vdfs.cli.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private final StringWriter screen = new StringWriter();
  private long now;

  private ProgressBar bar(int width) {
    return new ProgressBar(new PrintWriter(screen), width, () -> now);
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void shouldRewriteOneLineOfATerminalAndTakeItAway() {
    ProgressBar bar = bar(80);
    bar.show(0, 4, "a");
    pass(100);
    bar.show(1, 4, "too soon");
    pass(100);
    bar.show(3, 4, "b");
    bar.clear();
    bar.clear();
    assertEquals(
        "\r\u001b[K[------------------------------]   0%  a"
            + "\r\u001b[K[######################--------]  75%  b"
            + "\r\u001b[K",
        screen.toString());
  }

  @Test
  void shouldCutTheLineBelowTheWidthOfTheTerminal() {
    bar(10).show(1, 0, "0123456789");
    assertEquals("\r\u001b[K012345678", screen.toString());
  }

  @Test
  void shouldPrintALineNowAndThenWhereThereIsNoTerminal() {
    ProgressBar bar = bar(0);
    bar.show(1, 2, "at once");
    pass(ProgressBar.PLAIN_PAUSE.toMillis());
    bar.show(9, 2, "all");
    bar.clear();
    assertEquals(
        "[##############################] 100%  all" + System.lineSeparator(), screen.toString());
  }
}

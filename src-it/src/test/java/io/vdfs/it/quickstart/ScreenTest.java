package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private static final long SECOND = 1_000_000_000;

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final PrintStream stream = new PrintStream(written, true, StandardCharsets.UTF_8);
  private final AtomicLong nanos = new AtomicLong(7 * SECOND);

  @Test
  void shouldPrintALineNowAndThenWhereThereIsNoTerminal() {
    Screen screen = new Screen(stream, stream, false, 80, nanos::get);
    screen.begin("load");
    screen.progress("too early");
    nanos.addAndGet(16 * SECOND);
    screen.progress("half of it");
    nanos.addAndGet(SECOND);
    screen.progress("too soon");
    screen.done("all of it");
    assertEquals(
        "  load         16.0 s  ... half of it\n  load         17.0 s  all of it\n", written());
  }

  @Test
  void shouldRewriteALineThatFitsTheTerminal() {
    Screen screen = new Screen(stream, stream, true, 30, nanos::get);
    screen.begin("load");
    screen.progress("0123456789012345");
    screen.done("0123456789012345");
    assertEquals(
        "\r\u001b[K  load          0.0 s  "
            + "\r\u001b[K  load          0.0 s  012345"
            + "\r\u001b[K  load          0.0 s  0123456789012345\n",
        written());
  }

  @Test
  void shouldClearTheLineBeforeAnError() {
    Screen screen = new Screen(stream, stream, true, 80, nanos::get);
    screen.begin("load");
    screen.error("the disk is full");
    assertEquals(
        "\r\u001b[K  load          0.0 s  \r\u001b[Kvdfs quickstart: the disk is full\n",
        written());
  }

  private String written() {
    return written.toString(StandardCharsets.UTF_8);
  }
}

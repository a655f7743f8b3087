package io.vdfs.datanode.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FatalErrorsTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();
  private final FatalErrors fatal =
      new FatalErrors(
          new PrintStream(bytes, true, StandardCharsets.UTF_8),
          code -> {
            if (!exit.complete(code)) {
              throw new IllegalStateException("ended twice: code=" + code);
            }
          });

  @Test
  void shouldEndTheProcessOnceWithALineThatSaysWhy() throws Exception {
    fatal.accept(new IllegalStateException((String) null));
    fatal.accept(new IllegalStateException("a consequence"));

    assertEquals(1, exit.get(10, TimeUnit.SECONDS));
    assertEquals(
        "vdfs-daemon: must stop: java.lang.IllegalStateException" + System.lineSeparator(),
        bytes.toString(StandardCharsets.UTF_8));
  }

  @Test
  void shouldTakeErrorsOfThreads() throws Exception {
    Thread failing =
        new Thread(
            () -> {
              throw new AssertionError("out of step");
            });
    failing.setUncaughtExceptionHandler((thread, failure) -> fatal.accept(failure));
    failing.start();

    assertEquals(1, exit.get(10, TimeUnit.SECONDS));
    String line = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(line.contains("java.lang.AssertionError: out of step"), line);
  }
}

package io.vdfs.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.cli.TestLines;
import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TraceCommandTest {
  private static final long MILLI = 1_000_000;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path directory;

  private Path trace;

  @BeforeEach
  void write() throws IOException {
    trace = directory.resolve("a.trace");
    try (TraceRecorder recorder = recorder(trace, "attempt_7")) {
      for (int block = 0; block < 4; block++) {
        recorder
            .claim(TraceOp.PREAD, block * 10L * MILLI, block * 10L * MILLI + MILLI)
            .path("vdfs://c/<f>")
            .range(block * 1_000L, 1_000)
            .result(1_000)
            .publish();
      }
      recorder
          .claim(TraceOp.READ, 50 * MILLI, 52 * MILLI)
          .path("vdfs://c/g")
          .range(5_000_000, 200)
          .calls(20)
          .result(180)
          .publish();
      recorder
          .claim(TraceOp.OPEN, 60 * MILLI, 61 * MILLI)
          .path("vdfs://c/gone")
          .failure(new FileNotFoundException())
          .publish();
    }
  }

  private static TraceRecorder recorder(Path file, String attempt) {
    return new TraceRecorder(
        new TraceHeader(Instant.parse("2026-01-02T03:04:05.000006Z"), 0, "h", 9, attempt),
        file.toString(),
        () -> Files.newOutputStream(file),
        64,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10));
  }

  private int run(Object... arguments) {
    out.reset();
    err.reset();
    return Commands.run(
        TestLines.all(
            conf -> {
              throw new IOException("no cluster is needed");
            }),
        Arrays.stream(arguments).map(Object::toString).toArray(String[]::new),
        out,
        err);
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldPrintCallsInLines() {
    assertEquals(ExitCodes.SOUND, run("trace", "print", trace), this::errors);

    List<String> lines = output().lines().toList();
    String thread = Thread.currentThread().getName().replace(' ', '_');
    assertEquals(6, lines.size());
    assertTrue(
        lines
            .get(1)
            .endsWith(
                ":05.010006 attempt_7 "
                    + thread
                    + " pread(vdfs://c/<f>, 1000@1000) = 1000 <0.001000>"),
        lines.get(1));
    assertTrue(
        lines.get(4).endsWith("read(vdfs://c/g, 200@5000000) = 180 in 20 calls <0.002000>"),
        lines.get(4));
    assertTrue(
        lines.get(5).endsWith("open(vdfs://c/gone) = -1 java.io.FileNotFoundException <0.001000>"),
        lines.get(5));
    assertEquals("", errors());
  }

  @Test
  void shouldSumUp() {
    assertEquals(ExitCodes.SOUND, run("trace", "summary", "--files", "1", directory));

    assertTrue(
        output().startsWith("1 files, 1 processes, 6 records in 0.061 s, 0 dropped"), output());
    assertTrue(
        output().matches("(?s).*\npread +4 +0 +4000 +1000 +100% +1000\\.0 +1\\d+\\.\\d .*"),
        output());
    assertTrue(output().matches("(?s).*\nread +20 +0 +180 +9 +95% +100\\.0 .*"), output());
    assertTrue(output().matches("(?s).*\nopen +1 +1 +0 +0 +- .*"), output());
    assertTrue(output().matches("(?s).* 4000 +0 +4 +0 +100% +4\\.0 +vdfs://c/<f>\n.*"), output());
    assertTrue(output().contains("and 2 more files"), output());
  }

  @Test
  void shouldDrawATimeline() throws Exception {
    Path svg = directory.resolve("out.svg");
    assertEquals(ExitCodes.SOUND, run("trace", "timeline", "-o", svg, trace), this::errors);

    String chart = Files.readString(svg);
    javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
    assertTrue(chart.contains("attempt_7, 2 files"), chart);
    assertEquals(5, chart.split("<line ", -1).length - 1, chart);
    assertEquals("", output());

    assertEquals(ExitCodes.SOUND, run("trace", "timeline", "--path", "<f>", trace));
    assertTrue(output().contains("attempt_7, 1 file<"), output());
    assertEquals(ExitCodes.FAILED, run("trace", "timeline", "--path", "none", trace));
  }

  @Test
  void shouldShowWhatIsLeftOfACutTrace() throws IOException {
    byte[] whole = Files.readAllBytes(trace);
    Files.write(trace, Arrays.copyOf(whole, whole.length - 1));

    // whether the records and the end share a frame depends on timing
    assertEquals(ExitCodes.DEGRADED, run("trace", "print", trace));
    assertTrue(errors().contains(trace + ": cut"), errors());
    assertFalse(errors().contains("\tat "), errors());
  }

  @Test
  void shouldSayWhatWasDropped() throws IOException {
    Path lossy = directory.resolve("b.trace");
    try (TraceRecorder recorder = recorder(lossy, "attempt_8")) {
      for (int i = 0; i < 10_000; i++) {
        recorder.claim(TraceOp.MSYNC, i, i + 1).publish();
      }
      assertTrue(recorder.dropped() > 0);
    }
    assertEquals(ExitCodes.DEGRADED, run("trace", "summary", lossy));
    assertTrue(errors().contains("dropped: "), errors());
  }

  @Test
  void shouldRefuseWhatIsNoTrace() throws IOException {
    Path foreign = Files.writeString(directory.resolve("core-site.xml"), "<configuration/>");
    for (String command : List.of("print", "summary", "timeline")) {
      assertEquals(ExitCodes.FAILED, run("trace", command, foreign));
      assertTrue(errors().contains("no trace of VDFS"), errors());
      assertTrue(errors().contains(foreign.toString()), errors());
      assertEquals(ExitCodes.FAILED, run("trace", command, directory.resolve("none")));
      assertEquals(ExitCodes.USAGE, run("trace", command));
    }
    assertEquals(ExitCodes.USAGE, run("trace"));
    assertEquals(ExitCodes.USAGE, run("trace", "draw", trace));
  }
}

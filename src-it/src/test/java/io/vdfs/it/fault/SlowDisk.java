package io.vdfs.it.fault;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.LoggedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Delays each force of a process. Needs root and the command {@code strace}. Confined to one
 * thread.
 */
final class SlowDisk implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String FORCE = "sync(";
  private static final String UNTRACED = "TracerPid:\t0\n";

  private final LoggedProcess strace;
  private final Path calls;

  private SlowDisk(LoggedProcess strace, Path calls) {
    this.strace = strace;
    this.calls = calls;
  }

  /**
   * @param pid of the process
   * @param delay added to each force, in whole microseconds, of which there is one at least
   * @param directory for what the command tells
   */
  static SlowDisk of(long pid, Duration delay, Path directory) throws Exception {
    Path calls = directory.resolve("forces-of-" + pid);
    Files.deleteIfExists(calls);
    List<String> command =
        List.of(
            "strace",
            "-f",
            "-qq",
            "-p",
            Long.toString(pid),
            "-o",
            calls.toString(),
            "-e",
            "trace=fsync,fdatasync",
            "-e",
            "inject=fsync,fdatasync:delay_enter=" + delay.toNanos() / 1_000);
    LoggedProcess strace = LoggedProcess.start("strace", directory, command, Map.of());
    SlowDisk slow = new SlowDisk(strace, calls);
    Await.until("strace at process " + pid, LIMIT, () -> slow.isAt(pid));
    return slow;
  }

  private boolean isAt(long pid) throws IOException {
    if (!strace.isAlive()) {
      throw new IOException("this test needs root and strace: " + strace.tail());
    }
    return !Files.readString(Path.of("/proc/" + pid + "/status")).contains(UNTRACED);
  }

  /** Number of forces that were delayed. */
  long delayed() throws IOException {
    if (!Files.exists(calls)) {
      return 0;
    }
    try (var lines = Files.lines(calls)) {
      return lines.filter(line -> line.contains(FORCE)).count();
    }
  }

  @Override
  public void close() throws IOException {
    strace.close();
  }
}

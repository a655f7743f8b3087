package io.vdfs.it.quickstart;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

/**
 * The process that kills all others of the run and removes its directory as soon as the pipe to it
 * breaks, by {@link #reap} or by the death of this JVM. Thread-safe.
 */
final class Reaper {
  private static final long LIMIT_SECONDS = 30;

  private final RunDirectory run;
  private final Process process;

  private Reaper(RunDirectory run, Process process) {
    this.run = run;
    this.process = process;
  }

  static Reaper start(RunDirectory run) throws IOException {
    String script = VdfsInstallation.script("src-it/quickstart/reaper.sh");
    ProcessBuilder builder =
        new ProcessBuilder(script, run.root().toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    return new Reaper(run, builder.start());
  }

  /** Only the logs of the run will stay. */
  void keepLogs() {
    try {
      OutputStream pipe = process.getOutputStream();
      pipe.write("keep-logs\n".getBytes(StandardCharsets.US_ASCII));
      pipe.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns when everything is gone; false if something is left. */
  boolean reap() {
    try {
      process.getOutputStream().close();
      return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)
          && !Files.exists(run.pids())
          && !Files.exists(run.conf());
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}

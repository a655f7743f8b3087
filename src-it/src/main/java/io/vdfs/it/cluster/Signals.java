package io.vdfs.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Signals to processes that Java itself cannot send. Stateless. */
public final class Signals {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private Signals() {}

  /** Suspends a process until {@link #resume} is called; it no longer runs when this returns. */
  public static void stop(long pid) throws Exception {
    send("STOP", pid);
    Await.until("process " + pid + " to stop", LIMIT, () -> isStopped(pid));
  }

  /** Resumes a suspended process. */
  public static void resume(long pid) throws IOException, InterruptedException {
    send("CONT", pid);
  }

  private static void send(String signal, long pid) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder(List.of("kill", "-" + signal, Long.toString(pid))).inheritIO().start();
    if (!kill.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
      throw new IOException("cannot send a signal: signal=" + signal + ", pid=" + pid);
    }
  }

  /** Whether the kernel runs no thread of the process, as after SIGSTOP. */
  private static boolean isStopped(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
  }
}

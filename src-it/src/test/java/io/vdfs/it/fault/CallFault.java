package io.vdfs.it.fault;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.LoggedProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A system call of a process, on one of some files, at which it is killed or gets an error. Needs
 * root and the command {@code strace}. Immutable.
 *
 * @param calls that count, each for itself and for each thread of the process
 * @param number the one at which the fault strikes, from 1
 * @param effect in the words of {@code strace}
 */
record CallFault(Calls calls, int number, String effect) {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String UNTRACED = "TracerPid:\t0\n";

  /** Calls that are counted together. */
  enum Calls {
    WRITES("write,pwrite64,pwritev,writev"),
    FORCES("fsync,fdatasync"),
    /** What makes bytes or names durable, or changes names. */
    STEPS("fsync,fdatasync,rename,link,unlink,mkdir,ftruncate");

    private final String names;

    Calls(String names) {
      this.names = names;
    }
  }

  /** The process is killed before the call does anything. */
  static CallFault kill(Calls calls, int number) {
    return new CallFault(calls, number, "signal=KILL");
  }

  /**
   * The call does nothing and returns an error.
   *
   * @param error such as {@code EIO}
   */
  static CallFault error(Calls calls, int number, String error) {
    return new CallFault(calls, number, "error=" + error);
  }

  /** A fault that waits for its call. Confined to one thread. */
  static final class Armed implements AutoCloseable {
    private final LoggedProcess strace;
    private final Path told;

    private Armed(LoggedProcess strace, Path told) {
      this.strace = strace;
      this.told = told;
    }

    boolean hasStruck() throws IOException {
      return CallFault.hasStruck(told);
    }

    /** What the command told. */
    String told() throws IOException {
      return Files.readString(told);
    }

    /** Ends the fault; the process goes on, if it lives. */
    @Override
    public void close() throws IOException {
      strace.close();
    }
  }

  /**
   * Arms the fault at a process that runs.
   *
   * @param directory for what the command tells
   */
  Armed at(long pid, Collection<Path> files, Path directory) throws Exception {
    Path told = directory.resolve("calls-of-" + pid);
    Files.deleteIfExists(told);
    List<String> command = command(files, told);
    command.addAll(List.of("-p", Long.toString(pid)));
    LoggedProcess strace = LoggedProcess.start("strace", directory, command, Map.of());
    Armed armed = new Armed(strace, told);
    Await.until("strace at process " + pid, LIMIT, () -> isAt(pid, strace));
    return armed;
  }

  private static boolean isAt(long pid, LoggedProcess strace) throws IOException {
    if (!strace.isAlive()) {
      throw new IOException("this test needs root and strace: " + strace.tail());
    }
    return !Files.readString(Path.of("/proc/" + pid + "/status")).contains(UNTRACED);
  }

  /**
   * A command through which a process is started, and armed from its first instruction on.
   *
   * @param told file for what the command tells
   */
  List<String> launcher(Collection<Path> files, Path told) {
    List<String> command = command(files, told);
    command.add(1, "-D");
    command.add("--");
    return command;
  }

  private List<String> command(Collection<Path> files, Path told) {
    List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-y"));
    command.addAll(List.of("-o", told.toString()));
    for (Path file : files) {
      command.addAll(List.of("-P", file.toString()));
    }
    command.addAll(List.of("-e", "trace=" + calls.names));
    command.addAll(List.of("-e", "inject=%s:%s:when=%d".formatted(calls.names, effect, number)));
    return command;
  }

  /** Whether the fault struck, by what the command told. */
  static boolean hasStruck(Path told) throws IOException {
    if (!Files.exists(told)) {
      return false;
    }
    String calls = Files.readString(told);
    return calls.contains("(INJECTED)") || calls.contains("+++ killed by SIGKILL +++");
  }

  @Override
  public String toString() {
    return effect + " at call " + number + " of " + calls;
  }
}

package io.vdfs.it.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** CPU time of other processes, from {@code /proc}. Immutable. */
final class DaemonCpu {
  private static final double TICKS_PER_SECOND = 100;
  private static final int USER_TICKS = 11;
  private static final double KIB = 1 << 10;

  private final List<String> pids;

  DaemonCpu(List<String> pids) {
    this.pids = List.copyOf(pids);
  }

  /** User and system time of all of them so far. */
  double seconds() throws IOException {
    long ticks = 0;
    for (String pid : pids) {
      String stat = read(pid, "stat");
      // behind the name in brackets: state, then numbers
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      ticks += Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]);
    }
    return ticks / TICKS_PER_SECOND;
  }

  /** The largest resident memory that any of them ever had, in MiB. */
  double peakMebibytes() throws IOException {
    double peak = 0;
    for (String pid : pids) {
      for (String line : read(pid, "status").split("\n", -1)) {
        if (line.startsWith("VmHWM:")) {
          peak = Math.max(peak, Long.parseLong(line.replaceAll("\\D", "")) / KIB);
        }
      }
    }
    return peak;
  }

  private static String read(String pid, String file) throws IOException {
    try {
      return Files.readString(Path.of("/proc", pid, file));
    } catch (NoSuchFileException e) {
      throw new IOException("daemon is gone: pid=" + pid, e);
    }
  }
}

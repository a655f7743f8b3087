package io.vdfs.yarn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What Linux reports of the machine below {@code /proc}. Remembers the counters of the previous
 * reading. Confined to one thread.
 */
final class KernelFiles {
  private static final int IDLE = 4;
  private static final int IO_WAIT = 5;
  private static final int STEAL = 8;
  private static final double NANOS_PER_MICRO = 1_000;

  private final Path proc;
  private long ticks;
  private long idleTicks;
  private final Pressure cpu = new Pressure("cpu");
  private final Pressure memory = new Pressure("memory");
  private final Pressure io = new Pressure("io");

  /**
   * @param proc {@code /proc}
   */
  KernelFiles(Path proc) {
    this.proc = proc;
  }

  /**
   * @param busy share of the processors' time since the previous reading; at the first one, since
   *     the machine's start
   * @param runnable threads that run or wait for a processor, without the caller, per processor
   */
  record Processors(double busy, double runnable) {}

  /**
   * @throws IOException if {@code /proc/stat} is not as on Linux
   */
  Processors processors() throws IOException {
    List<String> lines = Files.readAllLines(proc.resolve("stat"));
    String[] fields = lines.get(0).trim().split("\\s+", -1);
    if (fields.length <= STEAL || !fields[0].equals("cpu")) {
      throw new IOException("no processor times in " + proc.resolve("stat"));
    }
    long all = 0;
    for (int field = 1; field <= STEAL; field++) {
      all += Long.parseLong(fields[field]);
    }
    long idle = Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IO_WAIT]);
    long passed = Math.max(1, all - ticks);
    double busy = 1 - Math.min(1.0, Math.max(0.0, (double) (idle - idleTicks) / passed));
    ticks = all;
    idleTicks = idle;
    long count = lines.stream().filter(line -> line.matches("cpu\\d.*")).count();
    return new Processors(busy, Math.max(0.0, (double) (running(lines) - 1)) / Math.max(1, count));
  }

  private static long running(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith("procs_running "))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1).trim()))
        .findFirst()
        .orElse(1);
  }

  /** MiB of a line of {@code /proc/meminfo} such as {@code MemAvailable}. */
  OptionalLong memory(String name) throws IOException {
    return Files.readAllLines(proc.resolve("meminfo")).stream()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
        .findFirst();
  }

  OptionalDouble cpuPressure(long nanos) {
    return cpu.share(nanos);
  }

  OptionalDouble memoryPressure(long nanos) {
    return memory.share(nanos);
  }

  OptionalDouble ioPressure(long nanos) {
    return io.share(nanos);
  }

  /** Share of the time in which at least one thread waited for a resource. */
  private final class Pressure {
    private final String resource;
    private OptionalLong micros = OptionalLong.empty();
    private long looked;

    Pressure(String resource) {
      this.resource = resource;
    }

    /** Empty where the kernel does not report it, and at the first reading. */
    OptionalDouble share(long nanos) {
      OptionalLong before = micros;
      long passed = nanos - looked;
      micros = total();
      looked = nanos;
      if (before.isEmpty() || micros.isEmpty() || passed <= 0) {
        return OptionalDouble.empty();
      }
      double waited = (micros.getAsLong() - before.getAsLong()) * NANOS_PER_MICRO;
      return OptionalDouble.of(Math.max(0, Math.min(1, waited / passed)));
    }

    private OptionalLong total() {
      try {
        return Files.readAllLines(proc.resolve("pressure").resolve(resource)).stream()
            .filter(line -> line.startsWith("some "))
            .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf("total=") + 6)))
            .findFirst();
      } catch (IOException e) {
        // kernels without pressure information, or booted with psi=0
        return OptionalLong.empty();
      }
    }
  }
}

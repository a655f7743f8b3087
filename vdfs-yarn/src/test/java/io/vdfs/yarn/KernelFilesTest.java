package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelFilesTest {
  private static final long SECOND = 1_000_000_000;

  @TempDir private Path proc;

  private void write(String name, String text) throws IOException {
    Path file = proc.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void stat(String cpu, int running) throws IOException {
    write("stat", cpu + "\ncpu0 1 1\ncpu1 1 1\nintr 7\nprocs_running " + running + "\n");
  }

  @Test
  void shouldTellWhatProcessorsDidSinceTheLookBefore() throws IOException {
    KernelFiles kernel = new KernelFiles(proc);
    stat("cpu  100 0 100 700 100 0 0 0 0 0", 1);
    assertEquals(0.2, kernel.processors().busy(), 1e-9);
    // of 100 ticks 30 were idle and 10 waited for disks
    stat("cpu  140 5 110 730 110 3 2 0 0 0", 6);
    KernelFiles.Processors seen = kernel.processors();
    assertEquals(0.6, seen.busy(), 1e-9);
    assertEquals(2.5, seen.runnable(), 1e-9, "five others on two processors");
  }

  @Test
  void shouldTellThePartOfTheTimeThatWasWaited() throws IOException {
    KernelFiles kernel = new KernelFiles(proc);
    write("pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull total=5\n");
    assertEquals(OptionalDouble.empty(), kernel.ioPressure(5 * SECOND));
    write("pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull total=5\n");
    assertEquals(0.25, kernel.ioPressure(7 * SECOND).getAsDouble(), 1e-9);
    Files.delete(proc.resolve("pressure/io"));
    assertEquals(OptionalDouble.empty(), kernel.ioPressure(8 * SECOND));
    assertEquals(OptionalDouble.empty(), kernel.memoryPressure(8 * SECOND));
  }

  @Test
  void shouldReadMemory() throws IOException {
    write("meminfo", "MemTotal:       24684084 kB\nMemAvailable:   16730112 kB\n");
    KernelFiles kernel = new KernelFiles(proc);
    assertEquals(OptionalLong.of(16_338), kernel.memory("MemAvailable"));
    assertEquals(OptionalLong.empty(), kernel.memory("MemAvail"));
  }

  @Test
  void shouldSayWhereThereAreNoProcessorTimes() throws IOException {
    KernelFiles kernel = new KernelFiles(proc);
    assertThrows(IOException.class, kernel::processors);
    write("stat", "disk 1 2\n");
    IOException refused = assertThrows(IOException.class, kernel::processors);
    assertTrue(refused.getMessage().contains(proc.resolve("stat").toString()));
  }

  @Test
  void shouldReadThisMachine() throws IOException {
    KernelFiles kernel = new KernelFiles(Path.of("/proc"));
    KernelFiles.Processors seen = kernel.processors();
    assertTrue(seen.busy() >= 0 && seen.busy() <= 1, seen.toString());
    long memory = kernel.memory("MemAvailable").getAsLong();
    assertTrue(memory > 0 && memory <= kernel.memory("MemTotal").getAsLong());
  }
}

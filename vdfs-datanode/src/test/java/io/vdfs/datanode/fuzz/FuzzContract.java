package io.vdfs.datanode.fuzz;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract of every entry point for bytes of a peer: they are taken or refused by a {@link
 * VdfsException}, soon, and with an amount of memory that does not depend on sizes announced in
 * them. A subclass has a constructor without parameters and is made anew for each run.
 *
 * <p>The build replays the seeds, the corpus in {@code src/test/resources/fuzz/CLASS} and a fixed
 * number of changes of both. The profile {@code fuzz} lets Jazzer look for more, guided by
 * coverage:
 *
 * <pre>
 *   mvn -Pfuzz -pl vdfs-datanode,vdfs-client -am test -Dtest='*FuzzTest' -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>It leaves what it found in {@code target/fuzz/CLASS}: an input that broke something goes into
 * the corpus together with the fix.
 */
public abstract class FuzzContract {
  private static final String SECONDS = "vdfs.fuzz.seconds";
  private static final Path CORPUS = Path.of("src", "test", "resources", "fuzz");
  private static final Path FOUND = Path.of("target", "fuzz");
  private static final String UNCOMPARABLE = "io.vdfs.datanode.meta.level.**";
  private static final int CHANGES = 1_500;
  private static final int MOST_CUTS = 4;

  /** Sound inputs of each kind, for changes to begin with. */
  protected abstract List<byte[]> seeds() throws Exception;

  /**
   * Handles the bytes as the program handles those of a peer.
   *
   * @throws VdfsException if they are refused
   */
  protected abstract void accept(byte[] input) throws Exception;

  /** As {@link #accept}; a refusal is as good as an answer. */
  final void run(byte[] input) throws Exception {
    try {
      accept(input);
    } catch (VdfsException e) {
      assertFalse(e.getMessage().isEmpty(), "a refusal says why");
    }
  }

  @Test
  @Timeout(60)
  void shouldBearItsCorpusAndChangesOfIt() throws Exception {
    List<byte[]> inputs = new ArrayList<>(seeds());
    assertFalse(inputs.isEmpty());
    for (byte[] seed : inputs) {
      accept(seed);
    }
    inputs.addAll(corpus());
    for (byte[] input : inputs) {
      run(input);
    }
    Random random = new Random(getClass().getSimpleName().hashCode());
    for (int n = 0; n < CHANGES; n++) {
      run(changed(inputs.get(random.nextInt(inputs.size())), random));
    }
  }

  private List<byte[]> corpus() throws IOException {
    List<byte[]> found = new ArrayList<>();
    Path directory = CORPUS.resolve(getClass().getSimpleName());
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.sorted().toList()) {
          found.add(Files.readAllBytes(file));
        }
      }
    }
    return found;
  }

  private static byte[] changed(byte[] input, Random random) {
    byte[] changed = input.clone();
    for (int n = random.nextInt(MOST_CUTS); n >= 0 && changed.length > 0; n--) {
      int at = random.nextInt(changed.length);
      switch (random.nextInt(4)) {
        case 0 -> changed[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        case 1 -> changed[at] = (byte) random.nextInt();
        case 2 -> changed = Arrays.copyOf(changed, at);
        default -> changed = Arrays.copyOf(changed, changed.length + at);
      }
    }
    return changed;
  }

  @Test
  @Timeout(value = 10, unit = MINUTES)
  @EnabledIfSystemProperty(named = SECONDS, matches = "[1-9][0-9]*")
  void shouldBearWhateverJazzerFinds(@TempDir Path seedDirectory) throws Exception {
    int number = 0;
    for (byte[] seed : seeds()) {
      Files.write(seedDirectory.resolve("seed" + number++), seed);
    }
    String name = getClass().getSimpleName();
    Path found = Files.createDirectories(FOUND.resolve(name));
    Path corpus = Files.createDirectories(CORPUS.resolve(name));
    Path log = FOUND.resolve(name + ".log");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=128m",
            "-cp",
            System.getProperty("java.class.path"),
            "-D" + FuzzEntry.TARGET + "=" + getClass().getName(),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + FuzzEntry.class.getName(),
            "--instrumentation_includes=io.vdfs.**",
            // Jazzer compares keys of its maps, which cannot be compared
            "--instrumentation_excludes=" + UNCOMPARABLE,
            "--custom_hook_excludes=" + UNCOMPARABLE,
            // the target connects on purpose, to what it started itself
            "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery",
            "--reproducer_path=" + found,
            "-artifact_prefix=" + found + "/",
            "-max_total_time=" + System.getProperty(SECONDS),
            "-timeout=60",
            "-rss_limit_mb=0",
            "-max_len=20000",
            found.toString(),
            corpus.toString(),
            seedDirectory.toString());
    Process jazzer =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    int code = jazzer.waitFor();
    String told = Files.readString(log);
    assertTrue(told.contains("DONE") || code != 0, told);
    assertEquals(0, code, told);
  }
}

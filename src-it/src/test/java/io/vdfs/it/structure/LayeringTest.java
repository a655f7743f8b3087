package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Packages use what {@code layers.txt} allows them and no more, and none uses itself by way of
 * others. A change that needs more adds it there, where the review sees it.
 */
class LayeringTest {
  private static final Path HOME = Path.of("..");
  private static final Path ALLOWED = Path.of("src", "test", "resources", "layers.txt");

  private static PackageUse used;

  @BeforeAll
  static void read() {
    used = PackageUse.of(CompiledClasses.of(HOME));
    assertTrue(used.uses().size() > 30, used::toString);
  }

  @Test
  void shouldUseWhatIsAllowed() throws IOException {
    PackageUse allowed = PackageUse.parse(Files.readAllLines(ALLOWED));
    assertEquals(String.join("\n", allowed.lines()), String.join("\n", used.lines()));
  }

  @Test
  void shouldHaveNoCycle() {
    assertEquals(List.of(), Cycle.in(used.uses()));
  }

  @Test
  void shouldFindACycle() {
    PackageUse knotted = PackageUse.parse(List.of("a: b", "b: c +hadoop", "c: d b", "d:"));
    assertEquals(List.of("b", "c", "b"), Cycle.in(knotted.uses()));
    assertEquals(List.of("a: b", "b: +hadoop c", "c: b d", "d:"), knotted.lines());
  }
}

package io.vdfs.it.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * No class uses itself by way of others, so that each can be understood with nothing in mind but
 * what lies below it. A part that has something to tell its owner is given a function or a small
 * interface of its own instead of the owner.
 */
class ClassCyclesTest {
  private static final Path HOME = Path.of("..");

  @Test
  void shouldHaveNoCycle() {
    ClassUse used = ClassUse.of(CompiledClasses.of(HOME));
    assertTrue(used.uses().size() > 900, () -> "classes=" + used.uses().size());
    assertEquals(List.of(), Cycle.in(used.uses()));
  }

  @Test
  void shouldTakeWhatIsNestedForTheClassAroundIt() {
    ClassUse used = ClassUse.of(new ClassFileImporter().importClasses(Nested.class));
    assertEquals(
        Map.of("it.structure.ClassCyclesTest", Set.of("it.structure.ClassUse")), used.uses());
  }

  private record Nested(ClassCyclesTest around, ClassUse used) {}
}

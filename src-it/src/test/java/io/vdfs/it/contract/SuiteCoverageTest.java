package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.tools.contract.AbstractContractDistCpTest;
import org.junit.jupiter.api.Test;

/**
 * Every filesystem suite that comes with Hadoop is run here, or is on the list of those left out.
 */
class SuiteCoverageTest {
  private static final int LEAST_SUITES = 30;
  private static final Pattern SUITE =
      Pattern.compile(
          "org/apache/hadoop/fs/(contract/AbstractContract\\w+|\\w+Base(Test)?)\\.class"
              + "|org/apache/hadoop/tools/contract/AbstractContract\\w+\\.class");

  /** The reasons stand in docs/contract-tests.md. */
  private static final Set<String> LEFT_OUT =
      Set.of("AbstractContractSafeModeTest", "FCStatisticsBaseTest", "SymlinkBaseTest");

  @Test
  void shouldRunEverySuiteOfHadoop() throws Exception {
    Set<String> missing = suites(AbstractFSContract.class);
    missing.addAll(suites(AbstractContractDistCpTest.class));
    assertTrue(missing.size() >= LEAST_SUITES, missing::toString);

    missing.removeAll(parentsHere());
    assertEquals(new TreeSet<>(LEFT_OUT), missing);
  }

  private static Path placeOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Simple names of the suites in the jar of a class. */
  private static Set<String> suites(Class<?> type) throws IOException, URISyntaxException {
    try (JarFile jar = new JarFile(placeOf(type).toFile())) {
      return jar.stream()
          .map(JarEntry::getName)
          .filter(name -> SUITE.matcher(name).matches())
          .map(name -> name.substring(name.lastIndexOf('/') + 1, name.length() - ".class".length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Simple names of the classes that the classes of this package extend. */
  private static Set<String> parentsHere() throws Exception {
    Set<String> parents = new TreeSet<>();
    Path here = placeOf(SuiteCoverageTest.class).resolve("io/vdfs/it/contract");
    try (Stream<Path> files = Files.list(here)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith("IT.class")) {
          String type = name.substring(0, name.length() - ".class".length());
          Class<?> suite =
              Class.forName(
                  SuiteCoverageTest.class.getPackageName() + "." + type,
                  false,
                  SuiteCoverageTest.class.getClassLoader());
          parents.add(suite.getSuperclass().getSimpleName());
        }
      }
    }
    return parents;
  }
}

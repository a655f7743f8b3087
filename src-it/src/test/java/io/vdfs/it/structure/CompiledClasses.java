package io.vdfs.it.structure;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The classes of all modules, without tests and {@code src-it}. */
final class CompiledClasses {
  private static final String OWN = "io.vdfs.";

  private CompiledClasses() {}

  /**
   * @param home directory of the sources, built
   */
  static JavaClasses of(Path home) {
    return new ClassFileImporter().importPaths(directories(home));
  }

  /** Whether a class is one of VDFS. */
  static boolean isOwn(JavaClass known) {
    return known.getPackageName().startsWith(OWN);
  }

  /** The name of a class or package of VDFS, without {@code io.vdfs.}. */
  static String ownName(String name) {
    return name.substring(OWN.length());
  }

  private static List<Path> directories(Path home) {
    try (Stream<Path> modules = Files.list(home)) {
      List<Path> found =
          modules
              .filter(module -> module.getFileName().toString().startsWith("vdfs-"))
              .flatMap(module -> Stream.of(module, module.resolve("cli")))
              .map(module -> module.resolve("target").resolve("classes"))
              .filter(Files::isDirectory)
              .toList();
      if (found.isEmpty()) {
        throw new IllegalStateException("nothing is built in " + home);
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

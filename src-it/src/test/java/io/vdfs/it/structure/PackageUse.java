package io.vdfs.it.structure;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which package uses which, and which of the restricted libraries it uses. Packages of VDFS are
 * named without {@code io.vdfs.}, libraries by a plus sign and a name.
 *
 * @param uses by package
 */
record PackageUse(NavigableMap<String, NavigableSet<String>> uses) {
  private static final String OWN = "io.vdfs.";
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  /** Libraries whose classes only few packages may use, by the start of the classes' names. */
  private static final Map<String, String> LIBRARIES =
      Map.of(
          "org.apache.hadoop.", "+hadoop",
          "org.apache.ratis.", "+ratis",
          "org.apache.curator.", "+curator",
          "org.apache.zookeeper.", "+zookeeper",
          "io.netty.channel.", "+netty-channels",
          "io.netty.bootstrap.", "+netty-channels",
          "io.netty.handler.", "+netty-channels",
          "io.netty.buffer.", "+netty-buffers",
          "net.openhft.", "+chronicle",
          "picocli.", "+picocli");

  /**
   * The uses in the classes of all modules, without tests and {@code src-it}.
   *
   * @param home directory of the sources, built
   */
  static PackageUse ofClasses(Path home) {
    NavigableMap<String, NavigableSet<String>> uses = new TreeMap<>();
    for (JavaClass user : new ClassFileImporter().importPaths(classes(home))) {
      if (!user.getPackageName().startsWith(OWN)) {
        continue;
      }
      String name = ownName(user.getPackageName());
      NavigableSet<String> used = uses.computeIfAbsent(name, unused -> new TreeSet<>());
      for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
        token(dependency.getTargetClass().getBaseComponentType())
            .filter(token -> !token.equals(name))
            .ifPresent(used::add);
      }
    }
    return new PackageUse(uses);
  }

  private static List<Path> classes(Path home) {
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

  private static String ownName(String packageName) {
    return packageName.substring(OWN.length());
  }

  private static Optional<String> token(JavaClass used) {
    if (used.getPackageName().startsWith(OWN)) {
      return Optional.of(ownName(used.getPackageName()));
    }
    return LIBRARIES.entrySet().stream()
        .filter(library -> used.getName().startsWith(library.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /** Reads lines {@code package: what it uses}; those that begin with a hash are comments. */
  static PackageUse parse(List<String> lines) {
    NavigableMap<String, NavigableSet<String>> uses = new TreeMap<>();
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] sides = line.split(":", 2);
      NavigableSet<String> used =
          BLANKS
              .splitAsStream(sides[1])
              .filter(name -> !name.isEmpty())
              .collect(Collectors.toCollection(TreeSet::new));
      if (uses.put(sides[0], used) != null) {
        throw new IllegalArgumentException("listed twice: " + sides[0]);
      }
    }
    return new PackageUse(uses);
  }

  /** Lines that {@link #parse} reads. */
  List<String> lines() {
    return uses.entrySet().stream()
        .map(use -> (use.getKey() + ": " + String.join(" ", use.getValue())).strip())
        .toList();
  }

  /** The packages on some cycle, from a package back to it; empty if there is none. */
  List<String> cycle() {
    Set<String> sound = new TreeSet<>();
    for (String start : uses.keySet()) {
      Deque<String> path = new ArrayDeque<>();
      if (leadsBack(start, path, sound)) {
        return List.copyOf(path);
      }
    }
    return List.of();
  }

  private boolean leadsBack(String at, Deque<String> path, Set<String> sound) {
    if (sound.contains(at)) {
      return false;
    }
    if (path.contains(at)) {
      while (!path.getFirst().equals(at)) {
        path.removeFirst();
      }
      path.addLast(at);
      return true;
    }
    path.addLast(at);
    for (String used : uses.getOrDefault(at, new TreeSet<>())) {
      if (leadsBack(used, path, sound)) {
        return true;
      }
    }
    path.removeLast();
    sound.add(at);
    return false;
  }
}

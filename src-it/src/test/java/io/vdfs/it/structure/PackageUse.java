package io.vdfs.it.structure;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which package uses which, and which of the restricted libraries it uses. Packages of VDFS are
 * named without {@code io.vdfs.}, libraries by a plus sign and a name.
 *
 * @param uses by package
 */
record PackageUse(NavigableMap<String, NavigableSet<String>> uses) {
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

  static PackageUse of(Iterable<JavaClass> classes) {
    NavigableMap<String, NavigableSet<String>> uses = new TreeMap<>();
    for (JavaClass user : classes) {
      if (!CompiledClasses.isOwn(user)) {
        continue;
      }
      String name = CompiledClasses.ownName(user.getPackageName());
      NavigableSet<String> used = uses.computeIfAbsent(name, unused -> new TreeSet<>());
      for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
        token(dependency.getTargetClass().getBaseComponentType())
            .filter(token -> !token.equals(name))
            .ifPresent(used::add);
      }
    }
    return new PackageUse(uses);
  }

  private static Optional<String> token(JavaClass used) {
    if (CompiledClasses.isOwn(used)) {
      return Optional.of(CompiledClasses.ownName(used.getPackageName()));
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
}

package io.vdfs.it.structure;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which class of VDFS uses which others, without those that are made of the {@code .proto} files.
 * What is nested belongs to the class around it, so a class stands for its file. Constants that the
 * compiler copies are not seen.
 *
 * @param uses by class, named without {@code io.vdfs.}
 */
record ClassUse(NavigableMap<String, NavigableSet<String>> uses) {
  private static final String GENERATED = ".proto";

  static ClassUse of(Iterable<JavaClass> classes) {
    NavigableMap<String, NavigableSet<String>> uses = new TreeMap<>();
    for (JavaClass user : classes) {
      if (!isSource(user)) {
        continue;
      }
      String name = file(user);
      NavigableSet<String> used = uses.computeIfAbsent(name, unused -> new TreeSet<>());
      for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (isSource(target) && !file(target).equals(name)) {
          used.add(file(target));
        }
      }
    }
    return new ClassUse(uses);
  }

  private static boolean isSource(JavaClass known) {
    return CompiledClasses.isOwn(known) && !known.getPackageName().endsWith(GENERATED);
  }

  private static String file(JavaClass known) {
    JavaClass outer = known;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return CompiledClasses.ownName(outer.getName());
  }
}

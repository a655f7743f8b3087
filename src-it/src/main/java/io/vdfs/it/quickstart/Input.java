package io.vdfs.it.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A file to be loaded. Immutable.
 *
 * @param name in the filesystem
 * @param copies how many times its content is repeated
 */
record Input(String name, Path file, long length, long copies) {
  static Input of(String name, Path file, long copies) throws IOException {
    return new Input(name, file, Files.size(file), copies);
  }

  /** The files that the user has named, each under its own name or one that is not taken yet. */
  static List<Input> named(List<Path> files) throws IOException {
    List<Input> inputs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Path file : files) {
      String name = file.getFileName().toString();
      while (isHidden(name) || !names.add(name)) {
        name = inputs.size() + "-" + name;
      }
      inputs.add(of(name, file, 1));
    }
    return inputs;
  }

  /** Jobs skip files of such names. */
  private static boolean isHidden(String name) {
    return name.startsWith("_") || name.startsWith(".");
  }

  long bytes() {
    return length * copies;
  }
}

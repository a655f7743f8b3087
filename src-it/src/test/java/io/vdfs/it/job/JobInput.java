package io.vdfs.it.job;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.it.bench.TextGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;

/**
 * Text files of several sizes, none a whole number of blocks, made once and put on each filesystem.
 * Immutable.
 */
final class JobInput {
  private static final Map<String, Long> FILES =
      new TreeMap<>(Map.of("a", 13_000_001L, "b", 7_654_321L, "c", 3_333_333L, "d", 12_345L));

  private final Path directory;

  private JobInput(Path directory) {
    this.directory = directory;
  }

  /** Writes the files below {@code directory} of the local disk. */
  static JobInput make(Path directory) throws IOException {
    long seed = 1;
    for (Map.Entry<String, Long> file : FILES.entrySet()) {
      TextGenerator.main(
          new String[] {
            directory.resolve(file.getKey()).toString(),
            file.getValue().toString(),
            Long.toString(seed++)
          });
    }
    return new JobInput(directory);
  }

  void putInto(FileSystem fileSystem, org.apache.hadoop.fs.Path target) throws IOException {
    fileSystem.mkdirs(target);
    for (String name : FILES.keySet()) {
      fileSystem.copyFromLocalFile(
          new org.apache.hadoop.fs.Path(directory.resolve(name).toUri()),
          new org.apache.hadoop.fs.Path(target, name));
    }
  }

  long bytes() {
    return FILES.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Names of the files. */
  Set<String> files() {
    return FILES.keySet();
  }

  long lines() throws IOException {
    long lines = 0;
    for (String name : FILES.keySet()) {
      try (Stream<String> ofFile = Files.lines(directory.resolve(name))) {
        lines += ofFile.count();
      }
    }
    return lines;
  }

  long blocks(ClusterGeometry geometry) {
    return FILES.values().stream().mapToLong(geometry::blockCount).sum();
  }
}

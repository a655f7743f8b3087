package io.vdfs.it.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Part files of a committed job by name. Immutable. */
record JobOutput(Map<String, byte[]> parts) {
  static JobOutput read(FileSystem fileSystem, Path directory) throws IOException {
    assertTrue(fileSystem.exists(new Path(directory, "_SUCCESS")), "not committed: " + directory);
    Map<String, byte[]> parts = new TreeMap<>();
    for (FileStatus file : fileSystem.listStatus(directory)) {
      if (!file.getPath().getName().startsWith("_")) {
        byte[] bytes = new byte[Math.toIntExact(file.getLen())];
        try (FSDataInputStream in = fileSystem.open(file.getPath())) {
          in.readFully(bytes);
        }
        parts.put(file.getPath().getName(), bytes);
      }
    }
    return new JobOutput(parts);
  }

  /** This output of a word count, extended by counts of words that it lacks. */
  JobOutput with(Map<String, Integer> counts) {
    assertEquals(1, parts.size(), "of one reducer");
    String part = parts.keySet().iterator().next();
    Set<String> lines = new TreeSet<>();
    new String(parts.get(part), UTF_8).lines().forEach(lines::add);
    counts.forEach((word, count) -> lines.add(word + "\t" + count));
    return new JobOutput(Map.of(part, (String.join("\n", lines) + "\n").getBytes(UTF_8)));
  }

  /** The lines of all parts. */
  List<String> lines() {
    return parts.values().stream().flatMap(part -> new String(part, UTF_8).lines()).toList();
  }

  void assertSame(JobOutput other) {
    assertEquals(parts.keySet(), other.parts.keySet());
    parts.forEach((name, bytes) -> assertArrayEquals(bytes, other.parts.get(name), name));
  }

  /** Empty outputs of all jobs would be equal. */
  void assertNotEmpty() {
    assertTrue(
        parts.values().stream().mapToInt(bytes -> bytes.length).sum() > 0,
        () -> "empty output: parts=" + parts.keySet() + Arrays.toString(parts.values().toArray()));
  }
}

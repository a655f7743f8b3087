package io.vdfs.it.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.model.ClusterGeometry;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * More input in directories of its own: a file that can be split, and one that cannot, as it is
 * compressed. No line holds a needle. Stateless.
 */
final class NestedInput {
  /** Input argument of a job that reads {@link JobClusters#INPUT} and this. */
  static final String WITH_INPUT = "/{in,more/*/deep}";

  /** The words of the files, by how often they occur. */
  static final Map<String, Integer> COUNTS = Map.of("nested", 50_000, "packed", 10_000);

  private NestedInput() {}

  static void putInto(FileSystem fileSystem) throws IOException {
    try (OutputStream out = fileSystem.create(new Path("/more/one/deep/words"))) {
      write(out, "nested");
    }
    try (OutputStream out = fileSystem.create(new Path("/more/two/deep/words.gz"))) {
      write(new GZIPOutputStream(out), "packed");
    }
    // not matched
    try (OutputStream out = fileSystem.create(new Path("/more/two/shallow/words"))) {
      write(out, "packed");
    }
  }

  private static void write(OutputStream raw, String word) throws IOException {
    try (OutputStream out = new BufferedOutputStream(raw)) {
      for (int line = 0; line < COUNTS.get(word); line++) {
        out.write((word + "\n").getBytes(UTF_8));
      }
    }
  }

  /** Of the file that can be split. */
  static long bytes() {
    return COUNTS.get("nested") * ("nested".length() + 1L);
  }

  /** Of the file that can be split. */
  static long blocks(ClusterGeometry geometry) {
    return geometry.blockCount(bytes());
  }
}

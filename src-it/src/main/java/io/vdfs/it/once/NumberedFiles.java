package io.vdfs.it.once;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A directory of files with the records 0, 1, 2, ... Immutable.
 *
 * @param records in all files together
 * @param bytes of all files together
 */
public record NumberedFiles(Path directory, long records, long bytes) {
  /** Writes the files, of about equal size. */
  public static NumberedFiles write(FileSystem fileSystem, Path directory, int files, long records)
      throws IOException {
    long bytes = 0;
    long number = 0;
    for (int file = 0; file < files; file++) {
      Path path = new Path(directory, "in" + file);
      long end = records * (file + 1) / files;
      try (OutputStream out = new BufferedOutputStream(fileSystem.create(path), 1 << 20)) {
        for (; number < end; number++) {
          out.write((NumberedRecord.of(number) + "\n").getBytes(UTF_8));
        }
      }
      bytes += fileSystem.getFileStatus(path).getLen();
    }
    return new NumberedFiles(directory, records, bytes);
  }
}

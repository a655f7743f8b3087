package io.vdfs.it.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Writes local files into a filesystem. Confined to the main thread. */
final class Loader {
  private final FileSystem fileSystem;
  private final Screen screen;
  private final byte[] buffer = new byte[1 << 20];
  private long written;
  private long total;

  Loader(FileSystem fileSystem, Screen screen) {
    this.fileSystem = fileSystem;
    this.screen = screen;
  }

  /** Writes all of {@code inputs} below {@code directory}, which must not exist. */
  void load(List<Input> inputs, Path directory) throws IOException {
    total = inputs.stream().mapToLong(Input::bytes).sum();
    fileSystem.mkdirs(directory);
    for (Input input : inputs) {
      try (OutputStream out = fileSystem.create(new Path(directory, input.name()), false)) {
        for (long copy = 0; copy < input.copies(); copy++) {
          copy(input.file(), out);
        }
      }
    }
  }

  private void copy(java.nio.file.Path file, OutputStream out) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        out.write(buffer, 0, length);
        written += length;
        screen.progress(Amounts.mebibytes(written) + " of " + Amounts.mebibytes(total));
      }
    }
  }
}

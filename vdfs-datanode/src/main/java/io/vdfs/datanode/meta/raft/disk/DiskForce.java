package io.vdfs.datanode.meta.raft.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes what was written outlive a loss of power. Thread-safe. */
public interface DiskForce {
  /** Asks the operating system. */
  DiskForce REAL =
      new DiskForce() {
        @Override
        public void file(Path file) throws IOException {
          force(file, StandardOpenOption.WRITE);
        }

        @Override
        public void names(Path directory) throws IOException {
          force(directory, StandardOpenOption.READ);
        }

        private static void force(Path path, StandardOpenOption mode) throws IOException {
          try (FileChannel channel = FileChannel.open(path, mode)) {
            channel.force(true);
          }
        }
      };

  /** The bytes and the length of a file. */
  void file(Path file) throws IOException;

  /** Which names a directory holds, and what they name. */
  void names(Path directory) throws IOException;
}

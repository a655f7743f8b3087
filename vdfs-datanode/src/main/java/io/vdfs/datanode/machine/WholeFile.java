package io.vdfs.datanode.machine;

import io.vdfs.common.security.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Small files of the daemon's own that are replaced as a whole. Stateless. */
public final class WholeFile {
  private WholeFile() {}

  /**
   * Replaces what the file holds, as a whole or not at all; it is there after a crash. Makes its
   * directory, for the daemon alone. One thread writes a file.
   */
  public static void write(Path file, ByteBuffer content) throws IOException {
    OwnerOnly.directory(file.getParent());
    Path draft = file.resolveSibling(file.getFileName() + ".tmp");
    try (FileChannel channel =
        OwnerOnly.open(
            draft,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE))) {
      while (content.hasRemaining()) {
        channel.write(content);
      }
      channel.force(true);
    }
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel parent = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      parent.force(true);
    }
  }
}

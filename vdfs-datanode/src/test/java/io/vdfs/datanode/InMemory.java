package io.vdfs.datanode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Directories in memory where the machine has a filesystem there, else the usual ones. For tests of
 * elections and other races against a clock, which say nothing of disks: a vote is forced to disk,
 * and a busy disk that takes longer for it than an election's timeout leaves no leader at all.
 */
public final class InMemory implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final long ROOM_BYTES = 2L << 30;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension)
      throws IOException {
    String prefix = "vdfs-test-";
    return hasRoom()
        ? Files.createTempDirectory(MEMORY, prefix)
        : Files.createTempDirectory(prefix);
  }

  private static boolean hasRoom() throws IOException {
    return Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_BYTES;
  }
}

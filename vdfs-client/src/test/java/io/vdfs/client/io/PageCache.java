package io.vdfs.client.io;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The part of files that the system keeps in memory. */
public final class PageCache {
  private PageCache() {}

  /** Asks the system to forget a file, once it is on the disk. */
  public static void drop(Path file) throws IOException, InterruptedException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
        .inheritIO()
        .start()
        .waitFor();
  }

  /** Whether any page of a file is in memory. */
  public static boolean holds(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      for (int at = 0; at < mapped.capacity(); at += 4096) {
        if (mapped.slice(at, 1).isLoaded()) {
          return true;
        }
      }
      return false;
    }
  }
}

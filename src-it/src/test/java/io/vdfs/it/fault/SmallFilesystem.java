package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.List;

/** A filesystem in memory of a given size, mounted for a test. Needs root. */
final class SmallFilesystem implements AutoCloseable {
  private final Path directory;

  private SmallFilesystem(Path directory) {
    this.directory = directory;
  }

  /**
   * @param directory to mount it on
   * @param size as tmpfs takes it, such as "384k"
   */
  static SmallFilesystem mount(Path directory, String size) throws IOException {
    run("mount", "-t", "tmpfs", "-o", "size=" + size + ",mode=1777", "tmpfs", directory.toString());
    return new SmallFilesystem(directory);
  }

  void resize(String size) throws IOException {
    run("mount", "-o", "remount,size=" + size, directory.toString());
  }

  void makeReadOnly() throws IOException {
    run("mount", "-o", "remount,ro", directory.toString());
  }

  private static void run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      assertEquals(0, process.waitFor(), () -> "this test needs root: " + List.of(command));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + List.of(command));
    }
  }

  @Override
  public void close() throws IOException {
    run("umount", directory.toString());
  }
}

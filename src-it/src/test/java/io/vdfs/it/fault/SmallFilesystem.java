package io.vdfs.it.fault;

import java.io.IOException;
import java.nio.file.Path;

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
    RootCommand.run(
        "mount", "-t", "tmpfs", "-o", "size=" + size + ",mode=1777", "tmpfs", directory.toString());
    return new SmallFilesystem(directory);
  }

  void resize(String size) throws IOException {
    RootCommand.run("mount", "-o", "remount,size=" + size, directory.toString());
  }

  void makeReadOnly() throws IOException {
    RootCommand.run("mount", "-o", "remount,ro", directory.toString());
  }

  @Override
  public void close() throws IOException {
    RootCommand.run("umount", directory.toString());
  }
}

package io.vdfs.it.cluster;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** A new directory below the system's temporary one; removed when closed. Thread-safe. */
public final class WorkDirectory implements AutoCloseable {
  private final Path path;

  private WorkDirectory(Path path) {
    this.path = path;
  }

  /**
   * @param prefix of the directory's name
   */
  public static WorkDirectory create(String prefix) throws IOException {
    return new WorkDirectory(Files.createTempDirectory("vdfs-" + prefix).toRealPath());
  }

  public Path path() {
    return path;
  }

  /** The subdirectory of that name, made if it is missing; no group may write to it. */
  public Path directory(String name) throws IOException {
    Path made = Files.createDirectories(path.resolve(name));
    return Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Deletes a tree, also one that is shrinking meanwhile. */
  public static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException failure)
              throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}

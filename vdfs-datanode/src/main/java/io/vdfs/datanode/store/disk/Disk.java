package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Names and space of the disks of a node. A full disk is reported as {@link DiskFullException}, and
 * where no more files can be open as {@link TooManyOpenFilesException}. Thread-safe.
 */
public interface Disk {
  /**
   * Opens a file for reading and writing.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   */
  DiskFile open(Path file) throws IOException;

  /**
   * Creates an empty file that its owner may write, and others may read if they can reach it,
   * whatever the umask. It may be lost in a power cut until its directory was forced.
   *
   * @throws java.nio.file.FileAlreadyExistsException if it exists
   */
  DiskFile create(Path file) throws IOException;

  /**
   * As {@link #create}, with {@code size} zeros in it. Where the disk can do so they have their
   * place on it when this returns, so that overwriting them costs no more than the bytes
   * themselves; they need not survive a power cut.
   *
   * @return the file, open
   */
  DiskFile createFilled(Path file, int size) throws IOException;

  /**
   * Gives a file a second name. That may be lost in a power cut until its directory was forced.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is something of that name
   * @throws UnsupportedOperationException if a file can have only one name there
   */
  void link(Path name, Path file) throws IOException;

  /** Whether two names that are there are of one file. */
  boolean isSame(Path one, Path other) throws IOException;

  /**
   * @throws IOException if that can't be told, as on a disk that fails
   */
  boolean exists(Path path) throws IOException;

  /**
   * Bytes of a file, which is not opened for that.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist
   */
  long size(Path file) throws IOException;

  /**
   * Makes a directory and its parents where they are missing: others may pass through those made
   * but not list them, whatever the umask.
   */
  void createDirectories(Path directory) throws IOException;

  /**
   * Names of the entries of a directory, sorted; empty if there is no such directory.
   *
   * @throws IOException if there is something else, or if that can't be told
   */
  List<String> list(Path directory) throws IOException;

  /** Removes a file if it exists. */
  void delete(Path file) throws IOException;

  /** Gives a file another name in the same directory, atomically replacing a file that had it. */
  void rename(Path from, Path to) throws IOException;

  /** Returns when the names in a directory survive a power cut. */
  void forceDirectory(Path directory) throws IOException;

  /** Size of the disk that holds {@code path}, in bytes. */
  long capacity(Path path) throws IOException;

  /** Bytes that can still be written to the disk that holds {@code path}. */
  long usable(Path path) throws IOException;

  /**
   * Takes a lock that no other process and no other caller in this one can hold; it ends with the
   * process.
   *
   * @return the lock, or empty if it is taken
   */
  Optional<AutoCloseable> lock(Path file) throws IOException;
}

package io.vdfs.it.jobs;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.locks.LockSupport;

/**
 * A file that one process waits for and another one creates, in a directory that both know.
 * Thread-safe.
 */
public final class Gate {
  private static final long PAUSE_NANOS = 20_000_000;
  private static final long LIMIT_NANOS = 180_000_000_000L;

  private final Path file;

  /**
   * @param directory on a disk that all processes see
   */
  public Gate(Path directory, String name) {
    this.file = directory.resolve(name);
  }

  /** Opens the gate permanently, with a message for the waiting process. */
  public void open(String message) throws IOException {
    Path draft = Files.createTempFile(file.getParent(), "gate", ".tmp");
    Files.writeString(draft, message);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Opens the gate permanently, unless it is open; true for one caller alone. */
  boolean openFirst() throws IOException {
    try {
      Files.createFile(file);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  boolean isOpen() {
    return Files.exists(file);
  }

  /** The message of the process that opened it. */
  String message() throws IOException {
    return Files.readString(file);
  }

  /**
   * @throws IOException if it does not open in time
   */
  public void await() throws IOException {
    long start = System.nanoTime();
    while (!isOpen()) {
      if (System.nanoTime() - start > LIMIT_NANOS) {
        throw new IOException("nobody opened the gate: file=" + file);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}

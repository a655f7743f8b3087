package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Gives room in the middle of a file back to the filesystem. Java has no call for that, so this
 * runs {@code fallocate} of util-linux, which Linux distributions have; ext4, XFS, Btrfs and tmpfs
 * can do it.
 */
final class HolePunch {
  private static final long LIMIT_SECONDS = 30;
  private static final int MOST_SAID = 1000;

  private HolePunch() {}

  /**
   * @throws IOException if there is no such command, or it failed
   */
  static void punch(Path file, long position, long length) throws IOException {
    List<String> command =
        List.of(
            "fallocate",
            "--punch-hole",
            "--offset",
            Long.toString(position),
            "--length",
            Long.toString(length),
            file.toAbsolutePath().toString());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      // what it says fits into the pipe, and a disk that hangs would keep a reader of it
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            "did not end: command=%s, seconds=%s".formatted(command, LIMIT_SECONDS));
      }
      if (process.exitValue() != 0) {
        byte[] said = process.getInputStream().readNBytes(MOST_SAID);
        throw new IOException(
            "command failed: command=%s, exit=%s, said=%s"
                .formatted(
                    command,
                    process.exitValue(),
                    new String(said, StandardCharsets.UTF_8).strip()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("interrupted: " + command).initCause(e);
    } finally {
      process.destroyForcibly();
    }
  }
}

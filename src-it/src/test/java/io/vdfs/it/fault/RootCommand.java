package io.vdfs.it.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;

/** Commands of the machine that only root may run. Stateless. */
final class RootCommand {
  private RootCommand() {}

  /**
   * @return all its output
   * @throws IOException with its output, if it is not installed or does not end with 0
   */
  static String run(String... command) throws IOException {
    return run(List.of(command));
  }

  static String run(List<String> command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("this test needs a command that is missing: " + command.get(0), e);
    }
    try {
      process.getOutputStream().close();
      String told = new String(process.getInputStream().readAllBytes(), UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new IOException(
            "this test needs root: %s ended with %d: %s".formatted(command, code, told));
      }
      return told;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted: " + command);
    }
  }
}

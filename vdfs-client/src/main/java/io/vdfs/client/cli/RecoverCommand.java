package io.vdfs.client.cli;

import io.vdfs.client.VdfsClient;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/**
 * {@code vdfs recover [--accept] PATH}: ends the writing to a file and closes it. With {@code
 * --accept} also where fewer copies can be read than a file must have; what they lack is then lost.
 */
final class RecoverCommand implements Command {
  private static final String ACCEPT = "--accept";
  private static final Duration PAUSE = Duration.ofMillis(500);

  private final Duration patience;

  /**
   * @param patience how long to wait for attempts that are under way
   */
  RecoverCommand(Duration patience) {
    this.patience = patience;
  }

  @Override
  public void run(VdfsClient client, List<String> arguments, PrintStream out) throws IOException {
    boolean accept = arguments.size() == 2 && arguments.get(0).equals(ACCEPT);
    if (arguments.size() != 1 && !accept) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "vdfs recover [--accept] PATH: arguments=" + arguments);
    }
    String path = arguments.get(arguments.size() - 1);
    long begun = System.nanoTime();
    RecoverLeaseResult result = client.recoverLease(path, accept);
    while (!result.getClosed()
        && result.getRunning()
        && System.nanoTime() - begun < patience.toNanos()) {
      pause();
      result = client.recoverLease(path, accept);
    }
    if (!result.getClosed()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "the file stays open, recovery goes on: path=" + path + ", found=" + result.getFound());
    }
    out.printf("closed       %s%n", path);
    out.printf("found        %s%n", result.getFound());
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
  }
}

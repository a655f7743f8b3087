package io.vdfs.cli.files;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.RecoveryAnswer;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vdfs recover [--accept] PATH}: ends the writing to a file and closes it. */
@Command(name = "recover", description = "Close a file whose writer is gone.")
public final class RecoverCommand implements Callable<Integer> {
  private final Clusters clusters;
  private final Duration pause;
  private final Duration patience;

  @Spec private CommandSpec spec;

  @Option(
      names = "--accept",
      description =
          "Also where fewer copies can be read than a file must have; what they lack is then lost.")
  private boolean accept;

  @Parameters(paramLabel = "PATH", description = "The file.")
  private String path;

  /**
   * @param pause between two questions
   * @param patience how long to wait for attempts that are under way
   */
  public RecoverCommand(Clusters clusters, Duration pause, Duration patience) {
    this.clusters = clusters;
    this.pause = pause;
    this.patience = patience;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(spec, this::recover);
  }

  private int recover(VdfsClient client, PrintWriter out) throws IOException {
    long begun = System.nanoTime();
    RecoveryAnswer result = client.names().recoverLease(path, accept);
    while (!result.closed() && result.running() && System.nanoTime() - begun < patience.toNanos()) {
      Pauses.pause(pause, "waiting for the recovery of a file");
      result = client.names().recoverLease(path, accept);
    }
    if (!result.closed()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "the file stays open, recovery goes on: path=" + path + ", found=" + result.found());
    }
    out.printf("closed       %s%n", path);
    out.printf("found        %s%n", result.found());
    return ExitCodes.SOUND;
  }
}

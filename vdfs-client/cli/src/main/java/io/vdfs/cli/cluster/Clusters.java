package io.vdfs.cli.cluster;

import io.vdfs.client.VdfsClient;
import io.vdfs.datanode.command.CommonOptions;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/** Gives commands the cluster that the settings name. */
public final class Clusters {
  /** Reaches a cluster. */
  @FunctionalInterface
  public interface Opener {
    /**
     * @param conf directory that holds {@code vdfs-site.xml}
     * @return a client that has contacted no server yet
     */
    VdfsClient open(Path conf) throws IOException;
  }

  private final Opener opener;

  public Clusters(Opener opener) {
    this.opener = opener;
  }

  /**
   * Runs a task on the cluster of the command line.
   *
   * @param command that was called
   * @return exit code
   */
  public int run(CommandSpec command, ClusterTask task) throws IOException {
    try (VdfsClient client = opener.open(CommonOptions.of(command).conf())) {
      return task.run(client, command.commandLine().getOut());
    }
  }
}

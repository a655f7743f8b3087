package io.vdfs.cli;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.datanode.command.Commands;
import picocli.CommandLine;

/** Command lines for the tests of all packages. */
public final class TestLines {
  private TestLines() {}

  /** All commands, as users have them. */
  public static CommandLine all(Clusters.Opener opener) {
    return VdfsCommands.line(opener);
  }

  /** One command that the test has made, below the root. */
  public static CommandLine alone(Object command) {
    CommandLine root = new CommandLine(new RootCommand());
    root.addSubcommand(command);
    return Commands.frame(root);
  }
}

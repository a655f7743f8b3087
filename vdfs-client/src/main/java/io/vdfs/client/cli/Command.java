package io.vdfs.client.cli;

import io.vdfs.client.VdfsClient;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** One command over a cluster. */
@FunctionalInterface
interface Command {
  /**
   * @param arguments what follows the command's name and the settings
   */
  void run(VdfsClient client, List<String> arguments, PrintStream out) throws IOException;
}

package io.vdfs.cli.cluster;

import io.vdfs.client.VdfsClient;
import java.io.IOException;
import java.io.PrintWriter;

/** The work of a command on a cluster. */
@FunctionalInterface
public interface ClusterTask {
  /**
   * @return exit code
   */
  int run(VdfsClient client, PrintWriter out) throws IOException;
}

package io.vdfs.cli.cluster;

import io.vdfs.client.VdfsClient;
import java.io.IOException;
import java.io.PrintWriter;

/** What a command does with a cluster. */
@FunctionalInterface
public interface ClusterTask {
  /**
   * @return exit code
   */
  int run(VdfsClient client, PrintWriter out) throws IOException;
}

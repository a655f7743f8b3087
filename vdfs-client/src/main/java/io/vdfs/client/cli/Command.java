package io.vdfs.client.cli;

import io.vdfs.client.meta.ClusterSnapshot;
import java.io.PrintStream;

/** One command over what is known of a cluster. */
@FunctionalInterface
interface Command {
  void run(ClusterSnapshot cluster, PrintStream out);
}

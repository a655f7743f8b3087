package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.error.VdfsException;
import java.util.List;

/** The command {@code vdfs format}: writes the properties of a new cluster into ZooKeeper. */
public final class FormatMain {
  private FormatMain() {}

  /** Runs the command; the exit code is 1 where it failed, with one line on standard error. */
  public static void main(String[] args) {
    System.exit(run(List.of(args)));
  }

  private static int run(List<String> arguments) {
    try {
      FormatSettings settings = FormatSettings.parse(arguments);
      ClusterFormat.format(
          settings.zooKeeper(), settings.clusterName(), settings.properties(), settings.force());
      System.out.println(
          "formatted cluster "
              + settings.clusterName()
              + ": id="
              + settings.properties().clusterId()
              + ", nodes="
              + settings.properties().expectedNodes());
      return 0;
    } catch (VdfsException e) {
      System.err.println("vdfs format: " + e.getMessage());
      return 1;
    }
  }
}

package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterCopy;
import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command {@code vdfs-daemon cluster-restore}: gives ZooKeeper back what it lost of a cluster,
 * from the copy that this node keeps. The node may run meanwhile.
 */
public final class ClusterRestoreMain {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRestoreMain.class);
  private static final String USAGE = "usage: vdfs-daemon [--conf DIR] cluster-restore";

  private ClusterRestoreMain() {}

  /** Ends the process with 0, 1 after a failure, 2 where the usage is wrong. */
  public static void main(String[] args) {
    System.exit(run(List.of(args), System.out, System.err));
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    if (arguments.size() != 2 || !arguments.get(0).equals("--conf")) {
      err.println("vdfs-daemon: " + USAGE);
      return 2;
    }
    try {
      restore(DaemonSettings.load(Path.of(arguments.get(1))), out);
      return 0;
    } catch (VdfsException e) {
      LOG.debug("Nothing restored", e);
      err.println("vdfs-daemon cluster-restore: " + e.getMessage());
      return 1;
    }
  }

  static void restore(DaemonSettings settings, PrintStream out) throws VdfsException {
    ClusterCopyFile file = settings.clusterCopy();
    ClusterCopy copy =
        file.read()
            .orElseThrow(
                () ->
                    new VdfsException(
                        ErrorCode.MISCONFIGURED,
                        "this node keeps no copy of a cluster: file="
                            + file.path()
                            + "; run the command on a node that was in it"));
    out.printf("cluster      %s (%s)%n", settings.clusterName(), copy.properties().clusterId());
    out.printf("copy         %s%n", file.path());
    out.printf("ring epoch   %d%n", copy.ring().epoch());
    out.printf(
        "metadata     group %s, version %d%n", copy.group().groupId(), copy.group().version());
    List<String> written =
        ClusterRestore.restore(settings.zooKeeper(), settings.clusterName(), copy);
    written.forEach(what -> out.printf("restored     %s%n", what));
    if (written.isEmpty()) {
      out.printf("ZooKeeper has all that; nothing was written.%n");
    }
  }
}

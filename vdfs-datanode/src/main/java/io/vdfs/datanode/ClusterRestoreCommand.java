package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.CommonOptions;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.host.ClusterCopyFile;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code vdfs-daemon cluster-restore}: gives ZooKeeper back what it lost of a cluster,
 * from the copy that this node keeps. The node may run meanwhile.
 */
@Command(
    name = "cluster-restore",
    description =
        "Give ZooKeeper back what it lost of the cluster, from this node's copy; it may run.",
    footer = "See 'When ZooKeeper loses its data' in docs/operations/failures.md.")
final class ClusterRestoreCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRestoreCommand.class);

  @Spec private CommandSpec spec;

  @Option(
      names = "--replace",
      description =
          "Also take away what stands there of another cluster, such as one formatted by mistake;"
              + " stop its nodes first.")
  private boolean replace;

  @Override
  public Integer call() throws VdfsException {
    Commands.requireNoneAbove(spec);
    try {
      restore(
          DaemonSettings.load(CommonOptions.of(spec).conf()), replace, spec.commandLine().getOut());
      return ExitCodes.SOUND;
    } catch (VdfsException e) {
      LOG.debug("Nothing restored", e);
      throw e;
    }
  }

  static void restore(DaemonSettings settings, boolean replace, PrintWriter out)
      throws VdfsException {
    ClusterCopyFile file = settings.clusterCopy();
    ClusterCopy copy =
        file.read()
            .orElseThrow(
                () ->
                    new VdfsException(
                        ErrorCode.MISCONFIGURED,
                        ("this node keeps no copy of a cluster: file=%s; run the command on a node that"
                                + " was in it")
                            .formatted(file.path())));
    out.printf("cluster      %s (%s)%n", settings.cluster().name(), copy.properties().clusterId());
    out.printf("copy         %s%n", file.path());
    out.printf("ring epoch   %d%n", copy.ring().epoch());
    out.printf(
        "metadata     group %s, version %d%n", copy.group().groupId(), copy.group().version());
    List<String> written =
        ClusterRestore.restore(
            settings.cluster().zooKeeper(),
            settings.cluster().name(),
            copy,
            new ClusterKeyFile(settings.cluster().keyFile()).load(),
            replace);
    written.forEach(what -> out.printf("restored     %s%n", what));
    if (written.isEmpty()) {
      out.printf("ZooKeeper has all that; nothing was written.%n");
    }
  }
}

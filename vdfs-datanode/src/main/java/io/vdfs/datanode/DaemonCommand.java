package io.vdfs.datanode;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.command.CommonOptions;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.machine.FatalErrors;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code vdfs-daemon}: runs the DataNode of this machine until it must stop. */
@Command(
    name = "vdfs-daemon",
    description = "Run the DataNode of this machine in the foreground.",
    footer = "JVM options: VDFS_DAEMON_OPTS.",
    subcommands = {MetadataRecoverCommand.class, ClusterRestoreCommand.class})
final class DaemonCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonCommand.class);

  /** Failures whose message alone does not explain them. */
  private static final Set<ErrorCode> UNEXPECTED =
      Set.of(ErrorCode.INTERNAL, ErrorCode.IO_ERROR, ErrorCode.CORRUPT);

  private final FatalErrors fatal;

  @Spec private CommandSpec spec;

  @Option(
      names = "--accept-empty",
      paramLabel = "DIR",
      description =
          "An empty directory of vdfs.data.dirs that becomes a new volume, whatever the node had"
              + " there; can be given several times.")
  private List<Path> acceptEmpty = new ArrayList<>();

  /**
   * @param fatal told why the node must stop
   */
  DaemonCommand(FatalErrors fatal) {
    this.fatal = fatal;
  }

  @Override
  public Integer call() throws VdfsException, InterruptedException {
    LOG.info(
        "VDFS daemon: version={}, commit={}, newestFeatureLevel={}",
        BuildVersion.running().version(),
        BuildVersion.running().commit(),
        FeatureLevels.ofThisRelease().newest());
    DataNode node = start();
    Runtime.getRuntime().addShutdownHook(new Thread(node::close, "vdfs-shutdown"));
    LOG.info(
        "DataNode serves: node={}, host={}, control={}, data={}",
        node.id(),
        node.host(),
        node.controlPort(),
        node.dataPort());
    // a signal or a fatal error ends the process
    new CountDownLatch(1).await();
    return ExitCodes.FAILED;
  }

  private DataNode start() throws VdfsException {
    try {
      return DataNode.start(
          DaemonSettings.load(CommonOptions.of(spec).conf()), acceptedEmpty(), fatal);
    } catch (VdfsException e) {
      if (UNEXPECTED.contains(e.code())) {
        LOG.error("The daemon cannot start", e);
      } else {
        LOG.debug("The daemon cannot start", e);
      }
      throw e;
    } catch (RuntimeException | Error e) {
      LOG.error("The daemon cannot start", e);
      throw e;
    }
  }

  Set<Path> acceptedEmpty() {
    Set<Path> directories = new TreeSet<>();
    acceptEmpty.forEach(directory -> directories.add(directory.toAbsolutePath().normalize()));
    return directories;
  }
}

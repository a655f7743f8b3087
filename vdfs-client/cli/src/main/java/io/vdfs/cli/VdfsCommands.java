package io.vdfs.cli;

import io.vdfs.cli.balance.BalanceCommand;
import io.vdfs.cli.balance.StreamsCommand;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.diag.DiagCommand;
import io.vdfs.cli.files.FsckCommand;
import io.vdfs.cli.files.QuotaCommand;
import io.vdfs.cli.files.RecoverCommand;
import io.vdfs.cli.node.NodeCommand;
import io.vdfs.cli.node.NodeVolumeCommand;
import io.vdfs.cli.node.ScrubCommand;
import io.vdfs.cli.report.MetadataCommand;
import io.vdfs.cli.report.ReportCommand;
import io.vdfs.cli.report.RingCommand;
import io.vdfs.cli.trace.TraceCommand;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.datanode.ClusterSettings;
import io.vdfs.datanode.FormatCommand;
import io.vdfs.datanode.command.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine;

/** Main class of {@code bin/vdfs}. */
public final class VdfsCommands {
  private static final Duration RECOVERY_PATIENCE = Duration.ofMinutes(5);
  private static final Duration REPAIR_PATIENCE = Duration.ofMinutes(2);
  private static final Duration GOING_PATIENCE = Duration.ofMinutes(15);
  private static final Duration MEMBERS_PATIENCE = Duration.ofMinutes(10);
  private static final Duration WATCH_PAUSE = Duration.ofSeconds(1);
  private static final Duration SHORT_PAUSE = Duration.ofMillis(300);

  private VdfsCommands() {}

  /** Ends the process with one of {@link io.vdfs.datanode.command.ExitCodes}. */
  public static void main(String[] arguments) {
    System.exit(Commands.run(line(VdfsCommands::open), arguments, System.out, System.err));
  }

  static CommandLine line(Clusters.Opener opener) {
    Clusters clusters = new Clusters(opener);
    CommandLine root = new CommandLine(new RootCommand());
    root.addSubcommand(new FormatCommand());
    root.addSubcommand(new ReportCommand(clusters, WATCH_PAUSE));
    root.addSubcommand(new FsckCommand(clusters, WATCH_PAUSE, REPAIR_PATIENCE));
    root.addSubcommand(new ScrubCommand(clusters, WATCH_PAUSE));
    CommandLine node = new CommandLine(new NodeCommand(clusters, WATCH_PAUSE, GOING_PATIENCE));
    node.addSubcommand(new NodeVolumeCommand(clusters));
    root.addSubcommand(node);
    root.addSubcommand(new RingCommand(clusters));
    root.addSubcommand(new BalanceCommand(clusters, WATCH_PAUSE, GOING_PATIENCE));
    root.addSubcommand(new StreamsCommand(clusters, SHORT_PAUSE, System::currentTimeMillis));
    root.addSubcommand(new MetadataCommand(clusters, SHORT_PAUSE, MEMBERS_PATIENCE));
    root.addSubcommand(new RecoverCommand(clusters, SHORT_PAUSE, RECOVERY_PATIENCE));
    root.addSubcommand(new QuotaCommand(clusters));
    root.addSubcommand(new TraceCommand());
    root.addSubcommand(new DiagCommand());
    root.addSubcommand(new ZooKeeperCommand());
    root.addSubcommand(new VersionCommand());
    root.addSubcommand(new CompletionCommand());
    return Commands.frame(root);
  }

  /** The cluster named by the daemons' settings in that directory. */
  static VdfsClient open(Path conf) throws IOException {
    ClusterSettings cluster = ClusterSettings.load(conf);
    ZooKeeperSettings zooKeeper = cluster.zooKeeper();
    return AdminClients.open(cluster.name(), zooKeeper.connect(), zooKeeper.prefix());
  }
}

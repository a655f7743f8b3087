package io.vdfs.cli.balance;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.files.TreeWalk;
import io.vdfs.cli.node.NodeShares;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.ring.BalanceReport;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs balance}: gives nodes shares of the ring that suit their room; {@code vdfs balance
 * report PATH}: how evenly the ring deals the files of a tree to nodes.
 */
@Command(
    name = "balance",
    description =
        "Give each node the share of the ring that suits the room on its volumes, or its"
            + " vdfs.node.weight; copies follow. For superusers.")
public final class BalanceCommand implements Callable<Integer> {
  private final Clusters clusters;
  private final Duration pause;
  private final Duration patience;

  @Spec private CommandSpec spec;

  @Option(names = "--no-wait", description = "Do not wait until the copies have followed.")
  private boolean noWait;

  @Option(names = "--json", description = "One JSON object instead of a table.")
  private boolean json;

  /**
   * @param pause between two looks at the cluster
   * @param patience how long nothing may change before a wait is given up
   */
  public BalanceCommand(Clusters clusters, Duration pause, Duration patience) {
    this.clusters = clusters;
    this.pause = pause;
    this.patience = patience;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(
        spec,
        (client, out) ->
            new NodeShares(client, ProgressBar.of(spec), pause, patience)
                .balance(!noWait, json, out));
  }

  @Command(
      name = "report",
      description =
          "Groups and copies by node, as they follow from the ring map, beside what random places"
              + " would give.")
  int report(
      @Parameters(
              paramLabel = "PATH",
              description = "A file, or a directory with all that is below it.")
          String path,
      @Option(names = "--json", description = "One JSON object instead of a table.") boolean json)
      throws IOException {
    CommandSpec command = spec.subcommands().get("report").getCommandSpec();
    if (!TreeWalk.isNormal(path)) {
      throw new ParameterException(command.commandLine(), TreeWalk.NORMAL + ": '" + path + "'");
    }
    return clusters.run(command, (client, out) -> report(command, client, path, json, out));
  }

  private static int report(
      CommandSpec command, VdfsClient client, String path, boolean json, PrintWriter out)
      throws IOException {
    ClusterDescription cluster = client.cluster();
    ProgressBar bar = ProgressBar.of(command);
    Files files =
        new Files(cluster, bar, bar.isTerminal() ? TreeWalk.inodes(client.names(), path) : 0);
    try {
      new TreeWalk(client.names(), files).walk(path);
    } finally {
      bar.clear();
    }
    BalanceTable table = new BalanceTable(cluster, files.sum.report(), path, files.files);
    if (json) {
      table.printJson(files.refused, out);
    } else {
      table.print(Integer.getInteger(BalanceTable.WIDTH, 0), out);
    }
    if (files.refused > 0) {
      command
          .commandLine()
          .getErr()
          .printf("%d directories may not be listed and are left out%n", files.refused);
    }
    return files.refused > 0 ? ExitCodes.FAILED : ExitCodes.SOUND;
  }

  /** Adds up the files that the walk visits. */
  private static final class Files implements TreeWalk.Visitor {
    private final BalanceReport.Sum sum;
    private final ProgressBar bar;
    private final long all;
    private long seen;
    private long files;
    private long refused;

    Files(ClusterDescription cluster, ProgressBar bar, long all) {
      this.sum = new BalanceReport.Sum(cluster.ring(), cluster.properties().geometry().groupSize());
      this.bar = bar;
      this.all = all;
    }

    @Override
    public void onDirectory(String path) {
      show(path);
    }

    @Override
    public void onFile(String path, FileInfo file) {
      files++;
      sum.add(file.inodeId(), file.length(), file.replication());
      show(path);
    }

    @Override
    public void onRefused(String directory, String why) {
      refused++;
    }

    private void show(String path) {
      seen++;
      bar.show(seen, all, "%d files, %s".formatted(files, path));
    }
  }
}

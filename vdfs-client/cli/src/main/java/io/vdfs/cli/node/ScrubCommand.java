package io.vdfs.cli.node;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.NodeNames;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vdfs scrub [NODE...]}: has nodes read back what they hold, and shows what they found. */
@Command(
    name = "scrub",
    description =
        "Have nodes read back all that they hold and compare it with its checksums, now. What is"
            + " damaged is copied anew from another node. For superusers.")
public final class ScrubCommand implements Callable<Integer> {
  private final Clusters clusters;
  private final Duration pause;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "One JSON object instead of lines.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "NODE",
      description = NodeNames.NODE + " Else all nodes.")
  private List<String> names = List.of();

  /**
   * @param pause between two looks at the nodes
   */
  public ScrubCommand(Clusters clusters, Duration pause) {
    this.clusters = clusters;
    this.pause = pause;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(spec, this::scrub);
  }

  private int scrub(VdfsClient client, PrintWriter out) throws IOException {
    ClusterDescription cluster = client.cluster();
    List<NodeScrub> scrubs = NodeScrub.begin(client, cluster, nodes(cluster));
    ProgressBar bar = ProgressBar.of(spec);
    try {
      while (scrubs.stream().anyMatch(NodeScrub::isRunning)) {
        show(scrubs, bar);
        Pauses.pause(pause, "waiting for the nodes");
        for (NodeScrub scrub : scrubs) {
          scrub.look(client);
        }
      }
    } finally {
      bar.clear();
    }
    int code = exitCode(scrubs);
    if (json) {
      out.println(NodeScrub.toJson(scrubs, code));
    } else {
      scrubs.forEach(scrub -> out.println(scrub.line()));
    }
    return code;
  }

  private List<RingNode> nodes(ClusterDescription cluster) throws VdfsException {
    List<RingNode> all = NodeTable.inOrder(cluster);
    if (names.isEmpty()) {
      return all;
    }
    NodeNames<RingNode> known = NodeNames.of(cluster);
    Set<RingNode> meant = new HashSet<>();
    for (String name : names) {
      meant.add(known.node(name));
    }
    return all.stream().filter(meant::contains).toList();
  }

  private static void show(List<NodeScrub> scrubs, ProgressBar bar) {
    long read = scrubs.stream().mapToLong(NodeScrub::read).sum();
    long held = scrubs.stream().mapToLong(NodeScrub::held).sum();
    bar.show(
        read,
        held,
        "%.1f of %.1f GB read back on %d nodes, %d groups damaged"
            .formatted(
                read / 1e9,
                held / 1e9,
                scrubs.size(),
                scrubs.stream().mapToLong(NodeScrub::damaged).sum()));
  }

  private static int exitCode(List<NodeScrub> scrubs) {
    if (scrubs.stream().noneMatch(NodeScrub::isDone)) {
      return ExitCodes.FAILED;
    }
    return scrubs.stream().allMatch(NodeScrub::isSound) ? ExitCodes.SOUND : ExitCodes.DEGRADED;
  }
}

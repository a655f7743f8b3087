package io.vdfs.cli;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vdfs scrub [NODE...]}: has nodes read back what they hold, and tells what they found. */
@Command(
    name = "scrub",
    description =
        "Have nodes read back all that they hold and compare it with its checksums, now. What is"
            + " damaged is copied anew from another node. For superusers.")
final class ScrubCommand implements Callable<Integer> {
  private final Clusters clusters;
  private final Duration pause;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "One JSON object instead of lines.")
  private boolean json;

  @Parameters(
      arity = "0..*",
      paramLabel = "NODE",
      description = "Host, host:port or id of a node; else all nodes.")
  private List<String> names = List.of();

  /**
   * @param pause between two looks at the nodes
   */
  ScrubCommand(Clusters clusters, Duration pause) {
    this.clusters = clusters;
    this.pause = pause;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(spec, this::scrub);
  }

  private int scrub(VdfsClient client, PrintWriter out) throws IOException {
    ClusterSnapshot cluster = client.cluster();
    List<RingNode> nodes =
        NodeTable.inOrder(cluster).stream()
            .filter(node -> names.isEmpty() || names.stream().anyMatch(name -> is(node, name)))
            .toList();
    for (String name : names) {
      if (nodes.stream().noneMatch(node -> is(node, name))) {
        throw new ParameterException(
            spec.commandLine(),
            "The ring map has no such NODE, see vdfs node status: '" + name + "'");
      }
    }
    List<NodeScrub> scrubs = NodeScrub.begin(client, cluster, nodes);
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

  private static boolean is(RingNode node, String name) {
    return node.host().equals(name)
        || NodeTable.address(node).equals(name)
        || node.id().toString().equals(name);
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

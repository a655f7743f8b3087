package io.vdfs.cli.report;

import io.vdfs.cli.cluster.BadVolumes;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.NodeDeletions;
import io.vdfs.client.admin.WaitingRecoveries;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs report [--watch|--json]}: nodes, ring, metadata leader, releases, copies, disks and
 * readers.
 */
@Command(
    name = "report",
    description = "Nodes, ring, metadata leader, copies, disks and readers of a cluster.")
public final class ReportCommand implements Callable<Integer> {
  private static final String RELEASE_ROW = "%-40s %-14s %s%n";
  private static final String ROW = "%-28s %-6s %-18s %5s %9s %9s %9s %s%n";

  private final Clusters clusters;
  private final Duration pause;

  @Spec private CommandSpec spec;

  @Option(
      names = "--watch",
      description = "Only the copies, again and again, until none is missing and no node is.")
  private boolean watch;

  @Option(names = "--json", description = "One JSON object instead of lines.")
  private boolean json;

  /**
   * @param pause between two looks at the copies
   */
  public ReportCommand(Clusters clusters, Duration pause) {
    this.clusters = clusters;
    this.pause = pause;
  }

  @Override
  public Integer call() throws IOException {
    if (watch && json) {
      throw new ParameterException(spec.commandLine(), "--watch and --json exclude each other");
    }
    return clusters.run(
        spec, watch ? this::watch : json ? ReportCommand::tell : ReportCommand::report);
  }

  private int watch(VdfsClient client, PrintWriter out) throws IOException {
    return new CopiesWatch(client, ProgressBar.of(spec), pause).watch(out);
  }

  private static int tell(VdfsClient client, PrintWriter out) {
    ReportJson report = new ReportJson(client);
    int code = report.fill();
    out.println(report.text());
    return code;
  }

  private static int report(VdfsClient client, PrintWriter out) throws IOException {
    ClusterDescription cluster = client.cluster();
    printCluster(cluster, out);
    MetadataMembers members = MetadataMembers.ask(client, cluster);
    out.printf("%nmetadata     %s%n", MetadataCommand.verdict(cluster, members));
    printReleases(cluster, members, out);
    boolean sound = VolumeTable.print(client, cluster, out);
    out.println();
    sound &= printCopies(client, cluster, out);
    sound &= printMissedDeletions(client, cluster, out);
    sound &= printSurplus(client, out);
    sound &= printRecoveries(client, out);
    CounterTables.print(client, cluster, out);
    sound &= cluster.live().containsAll(cluster.ring().nodes().keySet());
    return members.exitCode() == ExitCodes.SOUND && !sound
        ? ExitCodes.DEGRADED
        : members.exitCode();
  }

  private static void printCluster(ClusterDescription cluster, PrintWriter out) {
    ClusterGeometry geometry = cluster.properties().geometry();
    out.printf("cluster      %s (%s)%n", cluster.name(), cluster.properties().clusterId());
    out.printf(
        "blocks       %d KiB, %d to a group, checksums over %d KiB%n",
        geometry.blockSize() >> 10, geometry.groupBlocks(), geometry.chunkSize() >> 10);
    out.printf(
        "ring         epoch %d, %d arcs, %d replicas%n",
        cluster.ring().epoch(), cluster.ring().arcCount(), cluster.ring().replication());
    out.printf(
        "leader       %s%n",
        cluster.leader().map(id -> NodeTable.address(cluster, id)).orElse("not known now"));
    out.printf(
        "nodes        %d, %d alive%n%n", cluster.ring().nodes().size(), cluster.live().size());
    out.printf(ROW, "node", "state", "rack", "cores", "owns", "serves", "joining", "metadata");
    NodeTable.inOrder(cluster).forEach(node -> printNode(cluster, node, out));
    out.printf(
        "(of the ring's arcs: a node owns those that it serves first, serves those whose blocks it"
            + " keeps,%n and joins those that it still copies)%n");
  }

  /** The release that each answering node runs, and why a node has lost its member. */
  private static void printReleases(
      ClusterDescription cluster, MetadataMembers members, PrintWriter out) {
    String level =
        members.level().isPresent()
            ? Integer.toString(members.level().getAsInt())
            : "not known now";
    out.printf("%nfeature level in force: %s%n", level);
    out.printf(RELEASE_ROW, "release", "feature level", "of node");
    members
        .releases()
        .forEach(
            (node, release) -> {
              out.printf(
                  RELEASE_ROW, release.build(), release.level(), NodeTable.address(cluster, node));
              if (!release.stopped().isEmpty()) {
                out.printf("  its metadata member has ended: %s%n", release.stopped());
              }
            });
  }

  /**
   * Copies that are missing, and what is done about that; and volumes that are recorded as bad.
   *
   * @return whether there are none
   */
  private static boolean printCopies(
      VdfsClient client, ClusterDescription cluster, PrintWriter out) {
    try {
      CopiesReport copies = client.copies();
      CopiesTable.print(copies, cluster, out);
      return BadVolumes.print(copies, cluster, out) && CopiesTable.isSound(copies, cluster);
    } catch (IOException e) {
      out.printf("copies       not known, %s%n", e.getMessage());
      return false;
    }
  }

  /**
   * Bytes of copies that no longer count.
   *
   * @return whether the leader reports them
   */
  private static boolean printSurplus(VdfsClient client, PrintWriter out) {
    try {
      out.printf(
          "surplus      at most %d MB of copies that do not count since a replication was"
              + " lowered%n",
          client.names().surplusBytes() / 1_000_000);
      return true;
    } catch (IOException e) {
      out.printf("surplus      not known, %s%n", e.getMessage());
      return false;
    }
  }

  /**
   * Files that stay open though their writers are gone.
   *
   * @return whether there are none
   */
  private static boolean printRecoveries(VdfsClient client, PrintWriter out) {
    try {
      WaitingRecoveries waiting = client.names().waitingRecoveries();
      int count = waiting.files().size() + waiting.more();
      if (count > 0) {
        out.printf("recoveries   %d files wait for nodes, see vdfs recover%n", count);
      }
      for (WaitingRecoveries.Waiting held : waiting.files()) {
        out.printf("  %s since %d s%n", held.path(), held.waiting().toSeconds());
        out.printf("    %s%n", held.reason());
      }
      return count == 0;
    } catch (IOException e) {
      out.printf("recoveries   not known, %s%n", e.getMessage());
      return false;
    }
  }

  /**
   * Nodes that may hold files for ever that were deleted while they were away.
   *
   * @return whether there are none
   */
  private static boolean printMissedDeletions(
      VdfsClient client, ClusterDescription cluster, PrintWriter out) {
    try {
      boolean sound = true;
      for (NodeDeletions node : client.names().deletionProgress()) {
        if (node.missed() > 0) {
          sound = false;
          out.printf(
              "deletions    %s: %sat most %d deleted files may still take room there%n",
              NodeTable.address(cluster, node.node()),
              node.behind() ? "far behind and not waited for, " : "",
              node.missed());
        }
      }
      return sound;
    } catch (IOException e) {
      out.printf("deletions    not known, %s%n", e.getMessage());
      return false;
    }
  }

  private static void printNode(ClusterDescription cluster, RingNode node, PrintWriter out) {
    long owned = 0;
    long serving = 0;
    long joining = 0;
    for (ArcReplicas arc : cluster.ring().arcs()) {
      owned += arc.owner().equals(node.id()) ? 1 : 0;
      serving += arc.serving().contains(node.id()) ? 1 : 0;
      joining += arc.joining().contains(node.id()) ? 1 : 0;
    }
    out.printf(
        ROW,
        NodeTable.address(node),
        cluster.live().contains(node.id()) ? "alive" : "dead",
        node.rack(),
        node.cores(),
        owned,
        serving,
        joining,
        role(cluster, node));
  }

  private static String role(ClusterDescription cluster, RingNode node) {
    if (cluster.leader().filter(node.id()::equals).isPresent()) {
      return "leader";
    }
    return cluster.metadataMembers().contains(node.id()) ? "member" : "-";
  }
}

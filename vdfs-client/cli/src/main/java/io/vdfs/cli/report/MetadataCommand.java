package io.vdfs.cli.report;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.NodeNames;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataChangeProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs metadata members|replace OLD NEW|add NEW|remove OLD}: which nodes host the metadata.
 * A node is named by its id, its host, or host and control port.
 */
@Command(name = "metadata", description = "Who hosts the metadata: show and change it.")
public final class MetadataCommand {
  private static final String ROW = "%-28s %-10s %8s %10s %10s %10s %8s %s%n";

  private final Clusters clusters;
  private final Duration pause;
  private final Duration patience;

  @Spec private CommandSpec spec;

  /**
   * @param pause between two looks at the members
   * @param patience how long a change may take before the command ends without it
   */
  public MetadataCommand(Clusters clusters, Duration pause, Duration patience) {
    this.clusters = clusters;
    this.pause = pause;
    this.patience = patience;
  }

  @Command(name = "members", description = "The members: leader, terms, and how far each has got.")
  int members() throws IOException {
    return clusters.run(
        spec,
        (client, out) -> {
          ClusterDescription cluster = client.cluster();
          MetadataMembers members = MetadataMembers.ask(client, cluster);
          print(cluster, members, out);
          return members.exitCode();
        });
  }

  @Command(name = "replace", description = "Put one node in the place of another.")
  int replace(
      @Parameters(paramLabel = "OLD", description = NodeNames.NODE) String old,
      @Parameters(paramLabel = "NEW", description = NodeNames.NODE) String added)
      throws IOException {
    return change(Optional.of(old), Optional.of(added));
  }

  @Command(name = "add", description = "Have one more member.")
  int add(@Parameters(paramLabel = "NEW", description = NodeNames.NODE) String added)
      throws IOException {
    return change(Optional.empty(), Optional.of(added));
  }

  @Command(name = "remove", description = "Have one member less.")
  int remove(@Parameters(paramLabel = "OLD", description = NodeNames.NODE) String old)
      throws IOException {
    return change(Optional.of(old), Optional.empty());
  }

  private int change(Optional<String> removed, Optional<String> added) throws IOException {
    return clusters.run(
        spec,
        (client, out) -> {
          ClusterDescription cluster = client.cluster();
          change(client, cluster, node(cluster, removed), node(cluster, added), out);
          return ExitCodes.SOUND;
        });
  }

  static void print(ClusterDescription cluster, MetadataMembers members, PrintWriter out) {
    long newest = members.newestEntry();
    out.printf(ROW, "member", "role", "term", "last", "committed", "applied", "lag", "level");
    for (NodeId member : members.members()) {
      printMember(cluster, members, member, "", newest, out);
    }
    for (NodeId member : members.leaving()) {
      printMember(cluster, members, member, "leaving ", newest, out);
    }
    for (NodeId other : members.answers().keySet()) {
      if (!members.members().contains(other) && !members.leaving().contains(other)) {
        printMember(cluster, members, other, "no member ", newest, out);
      }
    }
    out.println();
    out.println(verdict(cluster, members));
  }

  private static void printMember(
      ClusterDescription cluster,
      MetadataMembers members,
      NodeId member,
      String prefix,
      long newest,
      PrintWriter out) {
    String name = NodeTable.address(cluster, member);
    MetadataStatusResponse status = members.answers().get(member);
    if (status == null) {
      out.printf(
          "%-28s %ssilent: %s%n",
          name, prefix, members.silent().getOrDefault(member, "not in the ring map"));
      return;
    }
    out.printf(
        ROW,
        name,
        prefix + status.getRole(),
        status.getTerm(),
        status.getLastIndex(),
        status.getCommittedIndex(),
        status.getAppliedIndex(),
        newest - status.getAppliedIndex(),
        "%d of %d".formatted(status.getLevel(), status.getNewestLevel()));
    if (!status.getDoubt().isEmpty()) {
      out.printf(
          "%-28s no vote before it has caught up: its log was damaged (%s)%n",
          "", status.getDoubt());
    }
  }

  /** One line: which node leads, or what is missing and what to do. */
  static String verdict(ClusterDescription cluster, MetadataMembers members) {
    if (members.hasMajority()) {
      return members
          .leader()
          .map(leader -> "leader: " + NodeTable.address(cluster, leader))
          .orElse("no leader now: a majority answers, so one will be elected within seconds");
    }
    if (members.isStarting()) {
      return "starting: %d of %d members; waits for %s"
          .formatted(
              members.answering(),
              members.members().size(),
              members.missing().stream().map(id -> NodeTable.address(cluster, id)).toList());
    }
    return "no majority: %d of %d metadata members answer; start more of them, or see 'When a"
            .formatted(members.answering(), members.members().size())
        + " majority of the metadata is lost' in docs/operations/failures.md";
  }

  private void change(
      VdfsClient client,
      ClusterDescription cluster,
      Optional<RingNode> removed,
      Optional<RingNode> added,
      PrintWriter out)
      throws IOException {
    MetadataMembers before = MetadataMembers.ask(client, cluster);
    RingNode leader =
        before
            .leader()
            .flatMap(id -> cluster.ring().node(id))
            .orElseThrow(() -> new VdfsException(ErrorCode.UNAVAILABLE, verdict(cluster, before)));
    client
        .nodes()
        .changeMetadataMembers(leader, removed.map(RingNode::id), added.map(RingNode::id));
    print(cluster, awaitEnd(client, cluster, leader, removed, added), out);
  }

  /** The members themselves are asked, as the leader may change meanwhile. */
  private MetadataMembers awaitEnd(
      VdfsClient client,
      ClusterDescription cluster,
      RingNode leader,
      Optional<RingNode> removed,
      Optional<RingNode> added)
      throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < end) {
      MetadataMembers now = MetadataMembers.ask(client, cluster);
      if (isMade(now, removed, added)) {
        return now;
      }
      MetadataStatusResponse status = now.answers().get(leader.id());
      if (status != null
          && status.getLastChange().getState() == MetadataChangeProto.State.FAILED
          && isAbout(status.getLastChange(), removed, added)) {
        throw new VdfsException(ErrorCode.UNAVAILABLE, status.getLastChange().getMessage());
      }
      Pauses.pause(pause, "waiting for the metadata members");
    }
    throw new VdfsException(
        ErrorCode.UNAVAILABLE,
        "the change goes on, or was given up with its leader: waitedSeconds=%d; look at"
                .formatted(patience.toSeconds())
            + " 'vdfs metadata members'");
  }

  private static boolean isMade(
      MetadataMembers now, Optional<RingNode> removed, Optional<RingNode> added) {
    return now.leader().isPresent()
        && now.leaving().isEmpty()
        && removed.map(node -> !now.members().contains(node.id())).orElse(true)
        && added.map(node -> now.members().contains(node.id())).orElse(true);
  }

  private static boolean isAbout(
      MetadataChangeProto change, Optional<RingNode> removed, Optional<RingNode> added) {
    return change
            .getRemoved()
            .equals(
                removed
                    .map(node -> WireIds.encode(node.id()))
                    .orElse(MetadataChangeProto.getDefaultInstance().getRemoved()))
        && change
            .getAdded()
            .equals(
                added
                    .map(node -> WireIds.encode(node.id()))
                    .orElse(MetadataChangeProto.getDefaultInstance().getAdded()));
  }

  private static Optional<RingNode> node(ClusterDescription cluster, Optional<String> name)
      throws VdfsException {
    return name.isPresent()
        ? Optional.of(NodeNames.of(cluster).node(name.get()))
        : Optional.empty();
  }
}

package io.vdfs.cli.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.BadVolumes;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeNames;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.CopiesReport.Node;
import io.vdfs.client.admin.KnownVolume;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs node status|decommission|recommission|remove|replace}: what each node keeps, and the
 * removal of nodes by operators. Volumes have a {@link NodeVolumeCommand} below. A node is named by
 * its id, its host, or host and control port.
 */
@Command(name = "node", description = "The nodes and their part of the ring: show and change it.")
public final class NodeCommand {
  private static final String ROW = "%-28s %-36s %-8s %8s %8s %8s  %s%n";

  private static final String JSON = "One JSON object instead of lines.";
  private static final String NO_WAIT = "Do not wait until others have its places.";
  private static final String ACCEPT_LOSS =
      "Also where the last copies of groups are on record there alone.";

  private final Clusters clusters;
  private final Duration pause;
  private final Duration patience;

  @Spec private CommandSpec spec;

  /**
   * @param pause between two looks at nodes that go
   * @param patience how long nothing may change before the command ends although they are not gone
   */
  public NodeCommand(Clusters clusters, Duration pause, Duration patience) {
    this.clusters = clusters;
    this.pause = pause;
    this.patience = patience;
  }

  @Command(
      name = "status",
      description = "Who serves and copies how many arcs, who lacks copies, and who is missing.")
  int status(@Option(names = "--json", description = JSON) boolean json) throws IOException {
    return clusters.run(spec, (client, out) -> status(client, json, out));
  }

  @Command(
      name = "decommission",
      description = "Have nodes leave: others take their places, then they may be stopped.")
  int decommission(
      @Parameters(arity = "1..*", paramLabel = "NODE", description = NodeNames.NODE)
          List<String> names,
      @Option(names = "--no-wait", description = NO_WAIT) boolean noWait,
      @Option(names = "--json", description = JSON) boolean json)
      throws IOException {
    return clusters.run(
        spec,
        (client, out) -> {
          CopiesReport copies = client.copies();
          List<NodeId> nodes = NodeNames.of(copies).ids(names, Node::live);
          client.decide(nodes, NodeDecision.LEAVES, false);
          return end(going(client, copies, nodes, NodeDecision.LEAVES), !noWait, json, out);
        });
  }

  @Command(
      name = "recommission",
      description = "Have nodes stay that were to leave, or take back that left.")
  int recommission(
      @Parameters(arity = "1..*", paramLabel = "NODE", description = NodeNames.NODE)
          List<String> names)
      throws IOException {
    return clusters.run(
        spec,
        (client, out) -> {
          List<NodeId> nodes =
              NodeNames.of(client.copies())
                  .ids(names, node -> node.decision() != NodeDecision.STAYS);
          client.decide(nodes, NodeDecision.STAYS, false);
          names.forEach(name -> out.println(name + "  stays"));
          return ExitCodes.SOUND;
        });
  }

  @Command(
      name = "remove",
      description = "Declare missing nodes lost: others take their places without waiting.")
  int remove(
      @Option(names = "--gone", description = "The nodes will not come back.") boolean gone,
      @Parameters(arity = "1..*", paramLabel = "NODE", description = NodeNames.NODE)
          List<String> names,
      @Option(names = "--accept-loss", description = ACCEPT_LOSS) boolean acceptLoss,
      @Option(names = "--no-wait", description = NO_WAIT) boolean noWait,
      @Option(names = "--json", description = JSON) boolean json)
      throws IOException {
    if (!gone) {
      throw new ParameterException(
          spec.commandLine(),
          "say --gone: only nodes that are lost are removed; one that is alive leaves by 'vdfs node"
              + " decommission'");
    }
    return clusters.run(
        spec,
        (client, out) -> {
          CopiesReport copies = client.copies();
          List<NodeId> nodes = NodeNames.of(copies).ids(names, node -> !node.live());
          client.decide(nodes, NodeDecision.GONE, acceptLoss);
          return end(going(client, copies, nodes, NodeDecision.GONE), !noWait, json, out);
        });
  }

  @Command(
      name = "replace",
      description = "Have a new node take the places of a missing one, which is lost.")
  int replace(
      @Parameters(paramLabel = "OLD", description = NodeNames.NODE) String old,
      @Option(names = "--accept-loss", description = ACCEPT_LOSS) boolean acceptLoss,
      @Option(names = "--no-wait", description = NO_WAIT) boolean noWait,
      @Option(names = "--json", description = JSON) boolean json)
      throws IOException {
    return clusters.run(
        spec,
        (client, out) -> {
          CopiesReport copies = client.copies();
          List<NodeId> nodes = NodeNames.of(copies).ids(List.of(old), node -> !node.live());
          client.decide(nodes, NodeDecision.GONE, acceptLoss);
          if (!json && !isNewcomerThere(copies, nodes.get(0))) {
            out.printf(
                "%s  may be replaced: start a daemon with empty directories, there or elsewhere%n",
                old);
            out.flush();
          }
          return end(going(client, copies, nodes, NodeDecision.GONE), !noWait, json, out);
        });
  }

  /** A node that stores nothing yet, or has the old one's address. */
  private static boolean isNewcomerThere(CopiesReport copies, NodeId old) {
    Optional<String> address =
        copies.nodes().stream()
            .filter(node -> node.id().equals(old))
            .map(NodeNames::address)
            .findFirst();
    return copies.nodes().stream()
        .filter(node -> node.live() && node.decision() == NodeDecision.STAYS)
        .filter(node -> !node.id().equals(old))
        .anyMatch(
            node ->
                node.servingPlaces() == 0 || address.equals(Optional.of(NodeNames.address(node))));
  }

  private NodesGoing going(
      VdfsClient client, CopiesReport copies, List<NodeId> nodes, NodeDecision decision) {
    return new NodesGoing(
        client,
        ProgressBar.of(spec),
        pause,
        new Patience(patience, System::nanoTime),
        copies,
        nodes,
        decision);
  }

  /** Without a wait the command is done once the decision is taken. */
  private static int end(NodesGoing going, boolean wait, boolean json, PrintWriter out)
      throws IOException {
    Optional<String> held = wait ? going.follow() : Optional.empty();
    int code = wait ? going.exitCode(held) : ExitCodes.SOUND;
    going.print(held, code, json, out);
    return code;
  }

  private static int status(VdfsClient client, boolean json, PrintWriter out) throws IOException {
    ClusterDescription cluster = client.cluster();
    CopiesReport copies = client.copies();
    boolean sound =
        CopiesTable.isSound(copies, cluster) && BadVolumes.in(copies, cluster).isEmpty();
    int code = sound ? ExitCodes.SOUND : ExitCodes.DEGRADED;
    if (json) {
      out.println(toJson(copies, cluster, code));
    } else {
      print(copies, cluster, out);
    }
    return code;
  }

  private static void print(CopiesReport copies, ClusterDescription cluster, PrintWriter out) {
    out.printf(ROW, "node", "id", "state", "serves", "joining", "lacking", "holds all");
    for (Node node : CopiesTable.inOrder(copies, cluster)) {
      out.printf(
          ROW,
          CopiesTable.address(cluster, node),
          node.id(),
          state(node),
          node.servingPlaces(),
          node.joiningPlaces(),
          node.lacking(),
          node.confirmed() ? "yes" : "not confirmed");
    }
    out.println();
    var unused = BadVolumes.print(copies, cluster, out);
    CopiesTable.print(copies, cluster, out);
  }

  private static String state(Node node) {
    if (node.decision() == NodeDecision.LEAVES && node.live()) {
      return node.places() > 0 || node.member() ? "leaving" : "left";
    }
    if (node.live()) {
      return "alive";
    }
    return node.isMissed() && node.decision() != NodeDecision.GONE ? "missing" : "gone";
  }

  private static String toJson(CopiesReport copies, ClusterDescription cluster, int code) {
    ObjectNode all =
        new ObjectMapper()
            .createObjectNode()
            .put("ringEpoch", copies.ringEpoch())
            .put("missingCopies", copies.missing())
            .put("missingBytes", copies.missingBytes())
            .put("groupsWithOneCopy", copies.lastCopies())
            .put("joiningPlaces", copies.joiningPlaces())
            .put("heldUpBy", copies.heldUpBy());
    ArrayNode nodes = all.putArray("nodes");
    for (Node node : CopiesTable.inOrder(copies, cluster)) {
      ObjectNode told = nodes.addObject();
      told.put("id", node.id().toString())
          .put("address", CopiesTable.address(cluster, node))
          .put("live", node.live())
          .put("decision", node.decision().name().toLowerCase(Locale.ROOT))
          .put("metadataMember", node.member())
          .put("missingMillis", node.missing().toMillis())
          .put("replacedInMillis", node.replacedIn().toMillis())
          .put("servingPlaces", node.servingPlaces())
          .put("joiningPlaces", node.joiningPlaces())
          .put("confirmed", node.confirmed())
          .put("lackingCopies", node.lacking());
      ArrayNode volumes = told.putArray("volumes");
      for (KnownVolume volume : node.volumes()) {
        volumes
            .addObject()
            .put("id", volume.id().toString())
            .put("directory", volume.directory())
            .put("capacity", volume.capacity())
            .put("state", BadVolumes.state(volume));
      }
    }
    return all.put("exitCode", code).toPrettyString();
  }
}

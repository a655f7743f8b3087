package io.vdfs.cli.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeCounters;
import io.vdfs.cli.cluster.NodeNames;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.CopiesReport.Node;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Follows nodes that leave, or are gone, until the cluster does without them. Confined to the
 * command's thread.
 */
final class NodesGoing {
  private final VdfsClient client;
  private final ProgressBar bar;
  private final Duration pause;
  private final Patience patience;
  private final Set<NodeId> nodes;
  private final NodeDecision decision;

  /** What each live node had copied when it last answered. */
  private final Map<NodeId, Long> copied = new HashMap<>();

  private CopiesReport copies;

  /** Why the leader did not report at the last look; empty if it did. */
  private Optional<String> silence = Optional.empty();

  private long most;

  /** How far the cluster is; two that are equal mean that nothing happened in between. */
  private record State(long left, Map<NodeId, Long> copied) {}

  /**
   * @param patience how long nothing may change before the wait is given up
   * @param copies before the decision
   * @param nodes that go; empty if only shares change
   * @param decision LEAVES or GONE, or STAYS where none goes
   */
  NodesGoing(
      VdfsClient client,
      ProgressBar bar,
      Duration pause,
      Patience patience,
      CopiesReport copies,
      List<NodeId> nodes,
      NodeDecision decision) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
    this.patience = patience;
    this.copies = copies;
    this.nodes = new TreeSet<>(nodes);
    this.decision = decision;
  }

  /**
   * Ends once no arc lists the nodes, no copy is missing, all others have found that they hold what
   * they should (the nodes may have what others lack), and no leaving node is a member of the
   * metadata group; or once nothing has changed for as long as the patience lasts. While there is
   * no leader it goes on asking.
   *
   * @return what is still held and what to do; empty if the cluster does without the nodes
   * @throws VdfsException if the decision was taken back
   */
  Optional<String> follow() throws IOException {
    try {
      look();
      while (silence.isPresent() || left() > 0) {
        if (patience.isOver(new State(left(), Map.copyOf(copied)))) {
          return Optional.of(held());
        }
        Pauses.pause(pause, "waiting for nodes to go");
        look();
      }
    } finally {
      bar.clear();
    }
    return Optional.empty();
  }

  private void look() throws IOException {
    try {
      copies = client.copies();
      silence = Optional.empty();
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.UNAVAILABLE) {
        throw e;
      }
      silence = Optional.of(e.getMessage());
    }
    if (silence.isEmpty()) {
      requireDecided();
    }
    lookAtNodes();
    most = Math.max(most, left());
    bar.show(
        most - left(), most, silence.map(why -> "not known now: " + why).orElse(progress(false)));
  }

  /** A node that does not answer counts with its last report. */
  private void lookAtNodes() throws IOException {
    ClusterDescription cluster = client.cluster();
    for (RingNode node : cluster.ring().nodes().values()) {
      if (cluster.live().contains(node.id())) {
        try {
          NodeCounters now = new NodeCounters(client.counters(node));
          copied.put(node.id(), now.get("repair.groups_copied") + now.get("repair.bytes_copied"));
        } catch (IOException e) {
          copied.putIfAbsent(node.id(), 0L);
        }
      }
    }
  }

  private List<Node> going() {
    return copies.nodes().stream().filter(node -> nodes.contains(node.id())).toList();
  }

  private long left() {
    long places = going().stream().mapToLong(Node::places).sum();
    long seats =
        decision == NodeDecision.LEAVES ? going().stream().filter(Node::member).count() : 0;
    long plans = decision == NodeDecision.STAYS && !copies.settled() ? 1 : 0;
    return places + seats + copies.toDo() + unconfirmed().size() + plans;
  }

  private List<String> unconfirmed() {
    return copies.nodes().stream()
        .filter(node -> node.servingPlaces() > 0 && !node.confirmed())
        .map(NodeNames::address)
        .toList();
  }

  private void requireDecided() throws VdfsException {
    for (Node node : going()) {
      if (node.places() > 0 && node.decision() == NodeDecision.STAYS) {
        throw new VdfsException(
            ErrorCode.INVALID_ARGUMENT,
            "the node stays, as it came back or somebody decided so: node=%s, id=%s"
                .formatted(NodeNames.address(node), node.id()));
      }
    }
  }

  /**
   * @param inFull whether to name the nodes that do not know yet what they lack
   */
  private String progress(boolean inFull) {
    StringBuilder text = new StringBuilder();
    for (Node node : going()) {
      text.append("%s has %d places of arcs".formatted(NodeNames.address(node), node.places()))
          .append(
              decision == NodeDecision.LEAVES && node.member() ? " and a seat of the metadata" : "")
          .append("; ");
    }
    text.append(CopiesTable.summary(copies));
    if (!unconfirmed().isEmpty()) {
      text.append(
          "; %d nodes have not found yet that they hold all%s"
              .formatted(unconfirmed().size(), inFull ? ": " + unconfirmed() : ""));
    }
    if (!copies.heldUpBy().isEmpty()) {
      text.append("; held up: ").append(copies.heldUpBy());
    }
    return text.toString();
  }

  private String held() {
    return "nothing has gone on for %d s: %s%s; the decision stands: %s"
        .formatted(
            patience.limit().toSeconds(),
            silence
                .map(why -> "the metadata leader does not tell (%s); before: ".formatted(why))
                .orElse(""),
            progress(true),
            decision == NodeDecision.LEAVES
                ? "stop no daemon yet, see 'vdfs node status' and 'vdfs report', then say the same"
                    + " again to go on waiting, or 'vdfs node recommission'"
                : "see 'vdfs node status' and 'vdfs report', then say the same again to go on"
                    + " waiting");
  }

  /**
   * The exit code after a wait: degraded if something is still held, theirs or not.
   *
   * @param held as {@link #follow} has told
   */
  int exitCode(Optional<String> held) throws IOException {
    return held.isEmpty() && CopiesTable.isSound(copies, client.cluster())
        ? ExitCodes.SOUND
        : ExitCodes.DEGRADED;
  }

  /**
   * Prints how far the nodes are, by the last look.
   *
   * @param held as {@link #follow} returned it
   * @param code with which the command ends
   */
  void print(Optional<String> held, int code, boolean json, PrintWriter out) throws IOException {
    boolean isDone = held.isEmpty() && left() == 0;
    if (json) {
      out.println(toJson(isDone, held, code));
      return;
    }
    for (NodeId id : nodes) {
      out.printf(
          "%s  %s%n",
          going().stream()
              .filter(node -> node.id().equals(id))
              .map(NodeNames::address)
              .findFirst()
              .orElse(id.toString()),
          told(isDone));
    }
    CopiesTable.print(copies, client.cluster(), out);
    held.ifPresent(out::println);
  }

  private String told(boolean isDone) {
    if (decision == NodeDecision.GONE) {
      return isDone ? "is gone, others have its copies" : "is gone, others take its places";
    }
    return isDone
        ? "has left: its daemon may be stopped; 'vdfs node recommission' takes it back"
        : "leaves; look at 'vdfs node status' before its daemon is stopped";
  }

  private String toJson(boolean isDone, Optional<String> held, int code) {
    ObjectNode all = new ObjectMapper().createObjectNode().put("done", isDone);
    held.ifPresent(why -> all.put("held", why));
    ArrayNode told = all.putArray("nodes");
    for (NodeId id : nodes) {
      ObjectNode node = told.addObject().put("id", id.toString());
      going().stream()
          .filter(state -> state.id().equals(id))
          .findFirst()
          .ifPresent(
              state ->
                  node.put("address", NodeNames.address(state))
                      .put("servingPlaces", state.servingPlaces())
                      .put("joiningPlaces", state.joiningPlaces())
                      .put("metadataMember", state.member()));
    }
    return all.put("missingCopies", copies.missing()).put("exitCode", code).toPrettyString();
  }
}

package io.vdfs.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.client.CopiesReport;
import io.vdfs.client.CopiesReport.Node;
import io.vdfs.client.NodeDecision;
import io.vdfs.client.VdfsClient;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
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
  private final Set<NodeId> nodes;
  private final NodeDecision decision;
  private long most;

  /**
   * @param decision LEAVES or GONE
   */
  NodesGoing(
      VdfsClient client,
      ProgressBar bar,
      Duration pause,
      List<NodeId> nodes,
      NodeDecision decision) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
    this.nodes = new TreeSet<>(nodes);
    this.decision = decision;
  }

  /**
   * Ends once no arc lists the nodes, no copy is missing and all others have found that they hold
   * what they should, as the nodes may have what others lack, and, of nodes that leave, none is a
   * member of the metadata group. While nobody leads it goes on asking.
   *
   * @throws VdfsException if somebody took the decision back
   */
  CopiesReport follow() throws IOException {
    CopiesReport copies = client.copies();
    try {
      show(copies);
      while (left(copies) > 0) {
        requireDecided(copies);
        Pauses.pause(pause, "waiting for nodes to go");
        try {
          copies = client.copies();
          show(copies);
        } catch (VdfsException e) {
          if (e.code() != ErrorCode.UNAVAILABLE) {
            throw e;
          }
          bar.show(most - left(copies), most, "not known now: " + e.getMessage());
        }
      }
    } finally {
      bar.clear();
    }
    return copies;
  }

  private List<Node> going(CopiesReport copies) {
    return copies.nodes().stream().filter(node -> nodes.contains(node.id())).toList();
  }

  private long left(CopiesReport copies) {
    long places = going(copies).stream().mapToLong(Node::places).sum();
    long seats =
        decision == NodeDecision.LEAVES ? going(copies).stream().filter(Node::member).count() : 0;
    return places + seats + copies.toDo() + unconfirmed(copies);
  }

  private static long unconfirmed(CopiesReport copies) {
    return copies.nodes().stream()
        .filter(node -> node.servingPlaces() > 0 && !node.confirmed())
        .count();
  }

  private void requireDecided(CopiesReport copies) throws VdfsException {
    for (Node node : going(copies)) {
      if (node.places() > 0 && node.decision() == NodeDecision.STAYS) {
        throw new VdfsException(
            ErrorCode.INVALID_ARGUMENT,
            "the node stays, as it came back or somebody decided so: node=%s, id=%s"
                .formatted(NodeNames.address(node), node.id()));
      }
    }
  }

  private void show(CopiesReport copies) {
    most = Math.max(most, left(copies));
    StringBuilder text = new StringBuilder();
    for (Node node : going(copies)) {
      text.append("%s has %d places of arcs".formatted(NodeNames.address(node), node.places()))
          .append(
              decision == NodeDecision.LEAVES && node.member() ? " and a seat of the metadata" : "")
          .append("; ");
    }
    text.append(CopiesTable.summary(copies));
    if (unconfirmed(copies) > 0) {
      text.append(
          "; %d nodes have not found yet that they hold all".formatted(unconfirmed(copies)));
    }
    if (!copies.heldUpBy().isEmpty()) {
      text.append("; held up: ").append(copies.heldUpBy());
    }
    bar.show(most - left(copies), most, text.toString());
  }

  /** Says how far the nodes are; the cluster may be degraded by what is not theirs. */
  int print(CopiesReport copies, boolean json, PrintWriter out) throws IOException {
    boolean isDone = left(copies) == 0;
    int code = CopiesTable.isSound(copies, client.cluster()) ? ExitCodes.SOUND : ExitCodes.DEGRADED;
    if (json) {
      out.println(toJson(copies, isDone, code));
      return code;
    }
    for (NodeId id : nodes) {
      out.printf(
          "%s  %s%n",
          going(copies).stream()
              .filter(node -> node.id().equals(id))
              .map(NodeNames::address)
              .findFirst()
              .orElse(id.toString()),
          told(isDone));
    }
    CopiesTable.print(copies, client.cluster(), out);
    return code;
  }

  private String told(boolean isDone) {
    if (decision == NodeDecision.GONE) {
      return isDone ? "is gone, others have its copies" : "is gone, others take its places";
    }
    return isDone
        ? "has left: its daemon may be stopped; 'vdfs node recommission' takes it back"
        : "leaves; look at 'vdfs node status' before its daemon is stopped";
  }

  private String toJson(CopiesReport copies, boolean isDone, int code) {
    ObjectNode all = new ObjectMapper().createObjectNode().put("done", isDone);
    ArrayNode told = all.putArray("nodes");
    for (NodeId id : nodes) {
      ObjectNode node = told.addObject().put("id", id.toString());
      going(copies).stream()
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

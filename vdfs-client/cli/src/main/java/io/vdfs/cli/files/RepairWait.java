package io.vdfs.cli.files;

import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeCounters;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Has all nodes compare what they should hold with what they hold, and waits until nothing is
 * missing, or nothing was copied for a while. A node or a leader that does not answer is asked
 * again until then, without holding up the others. Confined to the command's thread.
 */
final class RepairWait {
  private static final NodeRepairRequest AUDIT =
      NodeRepairRequest.newBuilder().setAudit(true).build();

  private final VdfsClient client;
  private final ProgressBar bar;
  private final Duration pause;
  private final Patience patience;

  /** For each node that was reached, its count of audits once it has compared. */
  private final Map<RingNode, Long> wanted = new LinkedHashMap<>();

  /** What a node counted when it last answered. */
  private final Map<RingNode, NodeCounters> counted = new LinkedHashMap<>();

  /** The failures of nodes that did not answer at the last look. */
  private final Map<RingNode, IOException> trouble = new LinkedHashMap<>();

  /** The leader's last report; empty before it answered. */
  private Optional<CopiesReport> copies = Optional.empty();

  /** Why the leader did not report at the last look. */
  private Optional<VdfsException> leaderTrouble = Optional.empty();

  private long most;

  /** How far the nodes are; two that are equal mean that nothing happened in between. */
  private record State(long toDo, int awaited, long work) {}

  RepairWait(VdfsClient client, ProgressBar bar, Duration pause, Patience patience) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
    this.patience = patience;
  }

  /**
   * @return why something is still missing or not known, if so
   * @throws VdfsException PERMISSION_DENIED for a caller that is no superuser
   */
  Optional<String> run() throws IOException {
    ClusterDescription cluster = client.cluster();
    List<RingNode> nodes =
        NodeTable.inOrder(cluster).stream()
            .filter(node -> cluster.live().contains(node.id()))
            .toList();
    try {
      State now = look(nodes);
      while (now.toDo() > 0 || now.awaited() > 0) {
        if (patience.isOver(now)) {
          return Optional.of(reason());
        }
        Pauses.pause(pause, "waiting for the nodes");
        now = look(nodes);
      }
    } finally {
      bar.clear();
    }
    return trouble.isEmpty() ? Optional.empty() : Optional.of(troubles().substring(2));
  }

  private State look(List<RingNode> nodes) throws IOException {
    lookAtCopies();
    for (RingNode node : nodes) {
      lookAt(node);
    }
    long toDo = copies.map(CopiesReport::toDo).orElse(0L);
    most = Math.max(most, toDo);
    bar.show(most - toDo, most, summary());
    int awaited = looking() + (int) trouble.values().stream().filter(RepairWait::mayPass).count();
    return new State(toDo, awaited + (leaderTrouble.isPresent() ? 1 : 0), work());
  }

  private void lookAtCopies() throws IOException {
    try {
      copies = Optional.of(client.copies());
      leaderTrouble = Optional.empty();
    } catch (VdfsException e) {
      if (!mayPass(e)) {
        throw e;
      }
      leaderTrouble = Optional.of(e);
    }
  }

  private void lookAt(RingNode node) throws VdfsException {
    try {
      if (!wanted.containsKey(node)) {
        wanted.put(node, client.nodes().beginRepair(node, AUDIT).getAudits());
      }
      counted.put(node, new NodeCounters(client.counters(node)));
      trouble.remove(node);
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.PERMISSION_DENIED && !wanted.containsKey(node)) {
        throw e;
      }
      trouble.put(node, e);
    } catch (IOException e) {
      trouble.put(node, e);
    }
  }

  /** Whether asking again may help. */
  private static boolean mayPass(IOException why) {
    return !(why instanceof VdfsException known) || known.code() == ErrorCode.UNAVAILABLE;
  }

  /** Nodes that answer and have not compared yet. */
  private int looking() {
    int looking = 0;
    for (Map.Entry<RingNode, NodeCounters> node : counted.entrySet()) {
      boolean isOver = node.getValue().get("repair.audits") >= wanted.get(node.getKey());
      looking += isOver || trouble.containsKey(node.getKey()) ? 0 : 1;
    }
    return looking;
  }

  private long work() {
    return counted.values().stream()
        .mapToLong(
            node ->
                node.get("repair.groups_copied")
                    + node.get("repair.groups_verified")
                    + node.get("repair.bytes_copied"))
        .sum();
  }

  private String summary() {
    return copies.map(CopiesTable::summary).orElse("how the copies are is not known");
  }

  private String reason() {
    String heldUp = copies.map(CopiesReport::heldUpBy).orElse("");
    return "nothing was copied for %d s; %s%s%s%s"
        .formatted(
            patience.limit().toSeconds(),
            summary(),
            looking() == 0 ? "" : "; %d nodes still look".formatted(looking()),
            heldUp.isEmpty() ? "" : "; held up: " + heldUp,
            troubles());
  }

  /** Each after a semicolon. */
  private String troubles() {
    StringBuilder text = new StringBuilder();
    leaderTrouble.ifPresent(why -> text.append("; the leader: ").append(why.getMessage()));
    trouble.forEach(
        (node, why) ->
            text.append("; %s: %s".formatted(NodeTable.address(node), why.getMessage())));
    return text.toString();
  }
}

package io.vdfs.cli;

import io.vdfs.client.CopiesReport;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Has all nodes compare what they should hold with what they hold, and waits until nothing is
 * missing, or nothing was copied for a while. Confined to the command's thread.
 */
final class RepairWait {
  private final VdfsClient client;
  private final ProgressBar bar;
  private final Duration pause;
  private final Duration patience;

  /** Audits that a node counts once it has looked. */
  private final Map<RingNode, Long> wanted = new LinkedHashMap<>();

  private String trouble = "";
  private long most;

  /** How far the nodes are; two that are equal tell that nothing went on between. */
  private record State(long toDo, int looking, long work) {}

  RepairWait(VdfsClient client, ProgressBar bar, Duration pause, Duration patience) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
    this.patience = patience;
  }

  /**
   * @return why something is still missing, if so
   */
  Optional<String> run() throws IOException {
    begin();
    try {
      return await();
    } finally {
      bar.clear();
    }
  }

  private void begin() throws IOException {
    ClusterSnapshot cluster = client.cluster();
    NodeRepairRequest audit = NodeRepairRequest.newBuilder().setAudit(true).build();
    for (RingNode node : NodeTable.inOrder(cluster)) {
      if (cluster.live().contains(node.id())) {
        try {
          wanted.put(node, client.nodes().beginRepair(node, audit).getAudits());
        } catch (VdfsException e) {
          if (e.code() == ErrorCode.PERMISSION_DENIED) {
            throw e;
          }
          onTrouble(node, e);
        }
      }
    }
  }

  private void onTrouble(RingNode node, IOException why) {
    trouble = "; %s: %s".formatted(NodeTable.address(node), why.getMessage());
  }

  private Optional<String> await() throws IOException {
    State before = look();
    long since = System.nanoTime();
    while (before.toDo() > 0 || before.looking() > 0) {
      if (System.nanoTime() - since > patience.toNanos()) {
        return Optional.of(reason(before));
      }
      Pauses.pause(pause, "waiting for the nodes");
      State now = look();
      if (!now.equals(before)) {
        since = System.nanoTime();
      }
      before = now;
    }
    return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble.substring(2));
  }

  private String reason(State last) throws IOException {
    CopiesReport copies = client.copies();
    return "nothing was copied for %d s; %s%s%s%s"
        .formatted(
            patience.toSeconds(),
            CopiesTable.summary(copies),
            last.looking() == 0 ? "" : "; %d nodes still look".formatted(last.looking()),
            copies.heldUpBy().isEmpty() ? "" : "; held up: " + copies.heldUpBy(),
            trouble);
  }

  private State look() throws IOException {
    CopiesReport copies = client.copies();
    int looking = 0;
    long work = 0;
    for (Map.Entry<RingNode, Long> node : wanted.entrySet()) {
      try {
        NodeCounters now = new NodeCounters(client.counters(node.getKey()));
        looking += now.get("repair.audits") < node.getValue() ? 1 : 0;
        work +=
            now.get("repair.groups_copied")
                + now.get("repair.groups_verified")
                + now.get("repair.bytes_copied");
      } catch (IOException e) {
        onTrouble(node.getKey(), e);
      }
    }
    most = Math.max(most, copies.toDo());
    bar.show(most - copies.toDo(), most, CopiesTable.summary(copies));
    return new State(copies.toDo(), looking, work);
  }
}

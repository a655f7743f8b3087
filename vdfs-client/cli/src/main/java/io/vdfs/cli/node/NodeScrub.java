package io.vdfs.cli.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.NodeCounters;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A pass of the scrubber that one node was asked for. Confined to the command's thread. */
final class NodeScrub {
  /** Looks in a row that a node may leave unanswered. */
  static final int LOOKS = 5;

  private final RingNode node;
  private ScrubBegunProto begun = ScrubBegunProto.getDefaultInstance();
  private boolean done;
  private Optional<String> problem = Optional.empty();
  private long groups;
  private long read;
  private long damaged;
  private long failed;
  private int unanswered;

  private NodeScrub(RingNode node) {
    this.node = node;
  }

  /**
   * Asks the live nodes.
   *
   * @throws VdfsException PERMISSION_DENIED for a caller that is no superuser
   */
  static List<NodeScrub> begin(VdfsClient client, ClusterDescription cluster, List<RingNode> nodes)
      throws IOException {
    List<NodeScrub> scrubs = new ArrayList<>();
    for (RingNode node : nodes) {
      NodeScrub scrub = new NodeScrub(node);
      scrubs.add(scrub);
      if (cluster.live().contains(node.id())) {
        scrub.begin(client);
      } else {
        scrub.problem = Optional.of("the node is not alive");
      }
    }
    return scrubs;
  }

  private void begin(VdfsClient client) throws IOException {
    try {
      begun =
          client
              .nodes()
              .beginRepair(node, NodeRepairRequest.newBuilder().setScrub(true).build())
              .getScrub();
    } catch (IOException e) {
      if (e instanceof VdfsException refused && refused.code() == ErrorCode.PERMISSION_DENIED) {
        throw e;
      }
      problem = Optional.of(e.getMessage());
    }
  }

  /**
   * Asks how far the pass is. A node may leave some looks unanswered: it reads on meanwhile, for
   * hours.
   */
  void look(VdfsClient client) {
    if (!isRunning()) {
      return;
    }
    try {
      NodeCounters now = new NodeCounters(client.counters(node));
      unanswered = 0;
      if (now.get("scrub.groups") < begun.getGroups()) {
        problem = Optional.of("the node was started again meanwhile");
        return;
      }
      groups = now.get("scrub.groups") - begun.getGroups();
      read = now.get("scrub.bytes") - begun.getBytes();
      damaged = now.get("scrub.damaged") - begun.getDamaged();
      failed = now.get("scrub.failed") - begun.getFailed();
      done = now.get("scrub.passes") > begun.getPasses();
    } catch (IOException e) {
      unanswered++;
      if (unanswered == LOOKS) {
        problem = Optional.of("%d looks in a row unanswered: %s".formatted(LOOKS, e.getMessage()));
      }
    }
  }

  boolean isRunning() {
    return !done && problem.isEmpty();
  }

  /** Whether the node has read back what it could. */
  boolean isDone() {
    return done;
  }

  boolean isSound() {
    return done && damaged == 0 && failed == 0;
  }

  long read() {
    return read;
  }

  long held() {
    return begun.getHeld();
  }

  long damaged() {
    return damaged;
  }

  String line() {
    String found =
        "%d groups of %.1f GB read back, %d damaged, %d could not be read back"
            .formatted(groups, read / 1e9, damaged, failed);
    return "%-28s %s"
        .formatted(NodeTable.address(node), problem.map(why -> "not done: " + why).orElse(found));
  }

  static String toJson(List<NodeScrub> scrubs, int exitCode) {
    ObjectNode all = new ObjectMapper().createObjectNode();
    ArrayNode nodes = all.putArray("nodes");
    for (NodeScrub scrub : scrubs) {
      ObjectNode node =
          nodes
              .addObject()
              .put("id", scrub.node.id().toString())
              .put("address", NodeTable.address(scrub.node))
              .put("done", scrub.done)
              .put("groups", scrub.groups)
              .put("bytes", scrub.read)
              .put("damagedGroups", scrub.damaged)
              .put("unreadableGroups", scrub.failed);
      scrub.problem.ifPresent(why -> node.put("error", why));
    }
    return all.put("exitCode", exitCode).toPrettyString();
  }
}

package io.vdfs.cli.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.cluster.NodeTable;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Gives the nodes of the ring the weights with which they would join it now, and waits until their
 * places have followed. Confined to the command's thread.
 */
public final class NodeShares {
  private static final String ROW = "%-28s %12s %10s %10s%n";

  private final VdfsClient client;
  private final ProgressBar bar;
  private final Duration pause;
  private final Duration patience;

  /** A node's weight and the one it would have now. */
  private record Share(RingNode node, long capacity, double weight) {
    boolean changes() {
      return weight != node.weight();
    }
  }

  /**
   * @param pause between two looks at the cluster
   * @param patience how long nothing may change before the wait is given up
   */
  public NodeShares(VdfsClient client, ProgressBar bar, Duration pause, Duration patience) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
    this.patience = patience;
  }

  /**
   * @return one of {@link ExitCodes}
   * @throws VdfsException UNAVAILABLE if a node does not tell its weight; INVALID_ARGUMENT while
   *     the cluster is degraded
   */
  public int balance(boolean wait, boolean json, PrintWriter out) throws IOException {
    List<Share> shares = shares();
    CopiesReport copies = client.copies();
    Map<NodeId, Double> changed = new TreeMap<>();
    shares.stream()
        .filter(Share::changes)
        .forEach(share -> changed.put(share.node().id(), share.weight()));
    if (!changed.isEmpty()) {
      client.weigh(changed);
    }
    if (!json) {
      print(shares, out);
    }
    NodesGoing moving =
        new NodesGoing(
            client,
            bar,
            pause,
            new Patience(patience, System::nanoTime),
            copies,
            List.of(),
            NodeDecision.STAYS);
    Optional<String> held = wait ? moving.follow() : Optional.empty();
    int code = wait ? moving.exitCode(held) : ExitCodes.SOUND;
    if (json) {
      out.println(toJson(shares, held, code));
    } else if (wait) {
      moving.print(held, code, false, out);
    } else {
      CopiesTable.print(client.copies(), client.cluster(), out);
    }
    return code;
  }

  private List<Share> shares() throws IOException {
    List<Share> shares = new ArrayList<>();
    for (RingNode node : NodeTable.inOrder(client.cluster())) {
      NodeSpaceProto space;
      try {
        space = client.nodes().space(node);
      } catch (IOException e) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            "a node does not tell how much room it has: node=%s; start it, or say 'vdfs node remove --gone' of it"
                .formatted(NodeTable.address(node)),
            e);
      }
      if (space.getWeight() <= 0) {
        throw new VdfsException(
            ErrorCode.UNSUPPORTED,
            "the node's release does not tell its weight: node=" + NodeTable.address(node));
      }
      shares.add(new Share(node, space.getCapacity(), space.getWeight()));
    }
    return shares;
  }

  private static void print(List<Share> shares, PrintWriter out) {
    out.printf(ROW, "node", "capacity GB", "weight", "before");
    for (Share share : shares) {
      out.printf(
          ROW,
          NodeTable.address(share.node()),
          "%.1f".formatted(share.capacity() / 1e9),
          share.weight(),
          share.node().weight());
    }
    out.println();
  }

  private static String toJson(List<Share> shares, Optional<String> held, int code) {
    ObjectNode all = new ObjectMapper().createObjectNode();
    held.ifPresent(why -> all.put("held", why));
    ArrayNode nodes = all.putArray("nodes");
    for (Share share : shares) {
      nodes
          .addObject()
          .put("id", share.node().id().toString())
          .put("address", NodeTable.address(share.node()))
          .put("capacityBytes", share.capacity())
          .put("weight", share.weight())
          .put("weightBefore", share.node().weight());
    }
    return all.put("exitCode", code).toPrettyString();
  }
}

package io.vdfs.client.meta;

import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.retry.Attempts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Chooses which node to ask next for one call. A round asks each node at most once: the believed
 * leader first, then the node that another one named as leader, then the members of the metadata
 * group, then any live node. Confined to the calling thread.
 */
final class LeaderSearch {
  private final RandomGenerator random;
  private final Attempts attempts = new Attempts();
  private final Set<NodeId> asked = new HashSet<>();
  private final Deque<NodeId> queue = new ArrayDeque<>();
  private ClusterDescription snapshot;

  LeaderSearch(ClusterDescription snapshot, NodeId believedLeader, RandomGenerator random) {
    this.random = random;
    restart(snapshot);
    if (believedLeader != null && snapshot.address(believedLeader).isPresent()) {
      queue.addFirst(believedLeader);
    }
  }

  ClusterDescription snapshot() {
    return snapshot;
  }

  Attempts attempts() {
    return attempts;
  }

  /** Begins a new round with what is known now. */
  void restart(ClusterDescription newest) {
    snapshot = newest;
    asked.clear();
    queue.clear();
    newest.leader().ifPresent(queue::add);
    queue.addAll(shuffled(newest.metadataMembers()));
    queue.addAll(shuffled(newest.live()));
    if (queue.isEmpty()) {
      queue.addAll(shuffled(new LinkedHashSet<>(newest.ring().nodes().keySet())));
    }
  }

  private List<NodeId> shuffled(Iterable<NodeId> nodes) {
    List<NodeId> list = new ArrayList<>();
    nodes.forEach(list::add);
    for (int last = list.size() - 1; last > 0; last--) {
      Collections.swap(list, last, random.nextInt(last + 1));
    }
    return list;
  }

  /** The node to ask, or null at the end of the round. */
  NodeId next() {
    while (!queue.isEmpty()) {
      NodeId node = queue.removeFirst();
      if (snapshot.address(node).isPresent() && asked.add(node)) {
        return node;
      }
    }
    return null;
  }

  ControlAddress address(NodeId node) {
    return snapshot.address(node).orElseThrow();
  }

  void failed(NodeId node, IOException cause) {
    attempts.failed(address(node).toString(), cause);
  }

  void refused(NodeId node, VdfsException refusal, Optional<NodeId> leader) {
    boolean notLeader = refusal.code() == ErrorCode.NOT_LEADER;
    attempts.failed(address(node).toString(), notLeader ? "not the leader" : refusal.getMessage());
    if (notLeader) {
      leader.ifPresent(queue::addFirst);
    }
  }
}

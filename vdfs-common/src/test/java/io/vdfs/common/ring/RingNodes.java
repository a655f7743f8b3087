package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Nodes for tests, reproducible from a seed. */
final class RingNodes {
  private RingNodes() {}

  static RingNode node(UUID id, String host, String rack, double weight) {
    return new RingNode(new NodeId(id), host, 9860, 9861, 9862, 9863, rack, 4, weight);
  }

  static RingNode random(Random random, String rack, double weight) {
    UUID id = new UUID(random.nextLong(), random.nextLong());
    return node(id, "node-" + id, rack, weight);
  }

  /** {@code count} nodes of weight 1, dealt over {@code racks} racks in turn. */
  static List<RingNode> dealt(Random random, int count, int racks) {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(random(random, "/rack-" + i % racks, 1));
    }
    return nodes;
  }
}

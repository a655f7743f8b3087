package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random histories of a cluster whose nodes leave on purpose, are kept, are given up, or get other
 * shares of the ring, too.
 */
@Timeout(3_600)
class NodesOnPurposeSimulationTest {
  private static final int SEEDS = Integer.getInteger("vdfs.repair.seeds", 200);

  @Test
  void shouldMakeEverythingWholeAgainWhateverHappens() throws Exception {
    long copied = 0;
    int left = 0;
    int weighed = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      History history = SimulatedHistory.runFrom(seed, History::new);
      copied += history.copied();
      left += history.left;
      weighed += history.weighed;
    }
    assertTrue(copied > SEEDS, "copied " + copied);
    assertTrue(left > SEEDS / 20, "left " + left);
    assertTrue(weighed > SEEDS / 4, "weighed " + weighed);
  }

  private static final class History extends SimulatedHistory {
    /** Nodes that left, with their disks. */
    private int left;

    private int weighed;

    History(SimulatedCluster cluster, Random random) {
      super(cluster, random, 5);
    }

    @Override
    void follow(Set<NodeId> waitedFor) throws Exception {
      RingMap before = cluster.ring();
      super.follow(waitedFor);
      check.givenUp(before);
    }

    @Override
    void act(int number) {
      switch (number) {
        case 0, 1 -> anyUp().ifPresent(node -> cluster.mark(node.id, NodeMarkProto.MARK_LEAVING));
        case 2 ->
            cluster.marks().leaving().stream()
                .findFirst()
                .ifPresent(node -> cluster.mark(node, NodeMarkProto.MARK_STAYING));
        case 3 ->
            anyUp()
                .ifPresent(
                    node -> weighed += cluster.weigh(node.id, 1 + random.nextInt(3)) ? 1 : 0);
        default ->
            waitedFor().stream()
                .findFirst()
                .ifPresent(node -> cluster.mark(node, NodeMarkProto.MARK_GONE));
      }
    }

    /** Nodes that left are taken away, with their disks. */
    @Override
    void onStep() throws Exception {
      Set<NodeId> done = new TreeSet<>(cluster.marks().leaving());
      done.removeAll(cluster.ring().members());
      done.retainAll(cluster.up());
      for (NodeId id : done) {
        Node node = cluster.nodes.get(id);
        if (check.lacking().getGroupsCount() > 0 || !cluster.isConfirmed()) {
          return;
        }
        assertTrue(check.canSpareAsPromised(node), () -> "left with a last copy: " + id);
        if (check.canSpare(node)) {
          node.stop();
          cluster.nodes.remove(id);
          cluster.trace.add("left " + id);
          left++;
        }
      }
    }
  }
}

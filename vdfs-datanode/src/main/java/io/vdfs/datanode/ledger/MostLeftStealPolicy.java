package io.vdfs.datanode.ledger;

/**
 * Goals, in order: read the stolen blocks from a replica on the asker's own disk; finish all nodes
 * at the same time. Algorithm: of the neighbours whose replicas the asker holds the one with most
 * blocks left; if none has any, of all nodes the one with most left. Of equals, the first after the
 * asker in the order of the node table, so that several thieves do not fall upon the same victim.
 *
 * <p>Example: nodes A B C D with 0, 4, 9, 9 blocks left. A, neighbour of B and D, takes from D;
 * with D empty from B; with both empty, or without known neighbours, from C. Pure.
 */
final class MostLeftStealPolicy implements StealPolicy {
  @Override
  public int victim(int asker, long[] left, int[] neighbours) {
    int best = -1;
    for (int node : neighbours) {
      best = better(asker, left, best, node);
    }
    if (best >= 0) {
      return best;
    }
    for (int node = 0; node < left.length; node++) {
      best = better(asker, left, best, node);
    }
    return best;
  }

  private static int better(int asker, long[] left, int best, int node) {
    if (left[node] == 0) {
      return best;
    }
    if (best < 0 || left[node] > left[best]) {
      return node;
    }
    boolean nearer = distance(asker, node, left.length) < distance(asker, best, left.length);
    return left[node] == left[best] && nearer ? node : best;
  }

  private static int distance(int asker, int node, int nodes) {
    return Math.floorMod(node - asker - 1, nodes);
  }
}

package io.vdfs.datanode.ledger.draw;

/**
 * Goals, in order: read the stolen blocks from a replica on the asker's own disk; finish all nodes
 * at the same time. Algorithm: of the neighbours whose replicas the asker holds, take the one that
 * would finish last if its tasks went on as they did so far; if none has any blocks left, the one
 * of all nodes that would. The blocks that a node's tasks have taken since the stream began, from
 * any pool, measure its rate; one block is added, so that a node without tasks is helped first. Of
 * equals, the first after the asker in the order of the node table, so that several thieves do not
 * fall upon the same victim.
 *
 * <p>Example: nodes A B C D with 0, 4, 9, 9 blocks left, of whose tasks each has taken 20, 0, 8 and
 * 17 blocks. They would finish in the order D (9 / 18), C (9 / 9), B (4 / 1). A, neighbour of C and
 * D, takes from C; with both empty, or without known neighbours, from B. Pure.
 */
public final class LastToFinishStealPolicy implements StealPolicy {
  @Override
  public int victim(int asker, long[] left, long[] taken, int[] neighbours) {
    int best = -1;
    for (int node : neighbours) {
      best = later(asker, left, taken, best, node);
    }
    if (best >= 0) {
      return best;
    }
    for (int node = 0; node < left.length; node++) {
      best = later(asker, left, taken, best, node);
    }
    return best;
  }

  private static int later(int asker, long[] left, long[] taken, int best, int node) {
    if (left[node] == 0) {
      return best;
    }
    if (best < 0) {
      return node;
    }
    // left[node] / (taken[node] + 1) against that of best; both factors are below 2^32 blocks
    int order =
        Long.compareUnsigned(left[node] * (taken[best] + 1), left[best] * (taken[node] + 1));
    boolean nearer = distance(asker, node, left.length) < distance(asker, best, left.length);
    return order > 0 || (order == 0 && nearer) ? node : best;
  }

  private static int distance(int asker, int node, int nodes) {
    return Math.floorMod(node - asker - 1, nodes);
  }
}

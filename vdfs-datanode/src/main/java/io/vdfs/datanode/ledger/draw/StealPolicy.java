package io.vdfs.datanode.ledger.draw;

/**
 * Chooses the node whose blocks a task takes when none are left on its own node. Pure: the same
 * arguments give the same answer in every process and release, as every replica decides for itself.
 */
public interface StealPolicy {
  /**
   * @param asker index of the asking node; -1 if it holds no blocks of the stream
   * @param left blocks left in the pool of each node, at least one of them positive; not kept
   * @param taken blocks that tasks on each node have taken so far, from any pool; not kept
   * @param neighbours indexes of nodes whose replicas the asker holds; may be empty; not kept
   * @return index of a node with blocks left
   */
  int victim(int asker, long[] left, long[] taken, int[] neighbours);
}

package io.vdfs.datanode.ledger;

/**
 * A run in a task's list. Immutable.
 *
 * @param pool index of the node from whose pool it was taken
 * @param taker index of the node on which the asking attempt ran; -1 if not one of the stream's
 */
record OwnedRun(BlockRange range, int pool, int taker) {
  boolean stolen() {
    return pool != taker;
  }
}

package io.vdfs.datanode.ledger.state;

/**
 * A run in a task's list. Immutable.
 *
 * @param pool index of the node from whose pool it was taken
 * @param taker index of the node on which the asking attempt ran; -1 if not one of the stream's
 */
public record OwnedRun(BlockRange range, int pool, int taker) {
  /** Whether it came out of the pool of another node than the one that took it. */
  public boolean stolen() {
    return pool != taker;
  }
}

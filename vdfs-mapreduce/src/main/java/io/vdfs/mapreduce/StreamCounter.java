package io.vdfs.mapreduce;

/**
 * Counters of a job that draws its input through the ledger. Sums over the successful attempts of a
 * job equal its input, which tests and the audit at job commit rely on.
 */
public enum StreamCounter {
  /** Bytes of all runs that were processed to their end. */
  BYTES,
  /** Blocks of all runs that were processed to their end. */
  BLOCKS,
  /** Of {@link #BLOCKS}: owned by another node than the task's, or by a node that is gone. */
  STOLEN_BLOCKS,
  /** Runs processed to their end. */
  RUNS,
  /** Calls to the ledger. */
  LEDGER_CALLS,
  /** Time that the task waited for the ledger. */
  LEDGER_WAIT_MILLIS
}

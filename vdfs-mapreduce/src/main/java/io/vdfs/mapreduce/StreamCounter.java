package io.vdfs.mapreduce;

/**
 * Counters of a job with {@code VdfsInputFormat}. Those of bytes, blocks and runs drawn through the
 * ledger equal the job's input, summed over its successful attempts, unless mappers stopped early.
 * Static splits count only where their bytes came from.
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
  /** Of {@link #RUNS}: asked for while the run before was still being processed. */
  RUNS_ASKED_AHEAD,
  /** Tasks whose mapper stopped before the end of its input. */
  STOPPED_TASKS,
  /** Tasks that ended early for the sake of another job. */
  YIELDED_TASKS,
  /** Calls to the ledger. */
  LEDGER_CALLS,
  /** Time that the task waited for its first run. */
  FIRST_WAIT_MILLIS,
  /** Time that the task waited for the ledger after its first run. */
  LEDGER_WAIT_MILLIS,
  /** Time that the task, as a slow one, left the rest of the blocks to others. */
  HELD_BACK_MILLIS,
  /**
   * Bytes that came from the disk for reads of block files by this process, as memory had lost what
   * the DataNode had brought there; counts everything that runs in the process.
   */
  BYTES_FETCHED_FROM_DISK,
  /**
   * Bytes of input that record readers got from the node on the task's own machine. The three
   * counters of this kind cover all reads of files on {@code vdfs://}, so they exceed the input
   * where readers read past the ends of their splits, and fall short of it where mappers stop
   * early.
   */
  LOCAL_BYTES,
  /** As {@link #LOCAL_BYTES}, from other nodes of the same rack. */
  RACK_BYTES,
  /** As {@link #LOCAL_BYTES}, from nodes of other racks. */
  REMOTE_BYTES,
  /** Time from the task's first call to the ledger until the end of its input. */
  TASK_MILLIS
}

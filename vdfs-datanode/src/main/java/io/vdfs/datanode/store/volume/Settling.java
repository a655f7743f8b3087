package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.turns.TurnGate;

/**
 * Work of one combined file that {@link WriteBack} does in the background. Two of the same combined
 * file are equal, so that the work is done once. Thread-safe.
 */
public interface Settling {
  /** Bytes that wait to be forced, as far as is known; never blocks. */
  long dirtyBytes();

  /**
   * Makes durable what was written to the combined file; blocks.
   *
   * @param pass the caller's leave to force
   */
  void settle(TurnGate.Pass pass) throws VdfsException;
}

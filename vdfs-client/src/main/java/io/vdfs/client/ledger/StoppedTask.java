package io.vdfs.client.ledger;

import java.io.IOException;

/**
 * An attempt that ends without having reached the end of its list, as its mapper asked for no more
 * records. Immutable.
 *
 * @param runs how many runs of the task's list were processed to the end, from the first one on
 * @param processed totals of those
 */
public record StoppedTask(StreamTask task, int runs, BlockTotals processed) {
  /** Its bytes, for the part of the attempt that commits. */
  public byte[] toBytes() {
    return LedgerMessages.stop(this).toByteArray();
  }

  /**
   * @throws IOException if these are not the bytes of a stopped task
   */
  public static StoppedTask of(byte[] bytes) throws IOException {
    return LedgerMessages.stoppedTask(bytes);
  }
}

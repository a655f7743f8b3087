package io.vdfs.client.ledger;

import java.io.IOException;

/**
 * An attempt that ends though it was not told the end of its list, as its mapper asked for no more
 * records. Immutable.
 *
 * @param runs how many of the task's list were processed to the end, from the first one on
 * @param processed what those come to
 */
public record StoppedTask(StreamTask task, int runs, BlockTotals processed) {
  /** The bytes of it, for the part of the attempt that commits. */
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

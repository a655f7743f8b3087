package io.vdfs.client.ledger;

import io.vdfs.common.model.BlockDigest;

/**
 * The totals of a set of blocks. The totals of disjoint sets add up. Immutable.
 *
 * @param digest sum of {@link BlockDigest} over the blocks
 */
public record BlockTotals(long blocks, long bytes, long digest) {
  public static final BlockTotals NONE = new BlockTotals(0, 0, 0);

  /** With the blocks of {@code run}, none of which was counted before. */
  public BlockTotals plus(DrawnRun run) {
    return new BlockTotals(
        blocks + run.blockCount(),
        bytes + run.bytes(),
        digest + BlockDigest.of(run.file(), run.firstBlock(), run.blockCount()));
  }
}

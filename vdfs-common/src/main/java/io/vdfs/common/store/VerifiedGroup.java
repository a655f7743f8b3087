package io.vdfs.common.store;

import java.util.List;
import java.util.OptionalInt;

/**
 * The findings of a node that read a group back: its blocks in order without a gap. Immutable.
 *
 * @param blocks those of which any byte counts
 */
public record VerifiedGroup(List<VerifiedBlock> blocks) {
  public static final VerifiedGroup NOTHING = new VerifiedGroup(List.of());

  public VerifiedGroup {
    blocks = List.copyOf(blocks);
  }

  /** Bytes that count, by the footers. */
  public long claimed() {
    return blocks.stream().mapToLong(VerifiedBlock::length).sum();
  }

  /** Bytes up to the first that is not what its writer sent. */
  public long verified() {
    long verified = 0;
    for (VerifiedBlock block : blocks) {
      verified += block.verified();
      if (block.isDamaged()) {
        break;
      }
    }
    return verified;
  }

  public boolean isDamaged() {
    return blocks.stream().anyMatch(VerifiedBlock::isDamaged);
  }

  /**
   * The first block in which the common verified bytes of both are known to differ, counted from
   * the group's first.
   */
  public OptionalInt firstDifference(VerifiedGroup other) {
    int common = Math.min(blocks.size(), other.blocks.size());
    for (int at = 0; at < common; at++) {
      VerifiedBlock here = blocks.get(at);
      VerifiedBlock there = other.blocks.get(at);
      if (here.differsFrom(there)) {
        return OptionalInt.of(at);
      }
      if (here.isDamaged() || there.isDamaged()) {
        break;
      }
    }
    return OptionalInt.empty();
  }

  /** How many blocks from the first on are whole, sound and the same in both. */
  public int sameWholeBlocks(VerifiedGroup other, int blockSize) {
    int same = 0;
    while (same < Math.min(blocks.size(), other.blocks.size())
        && blocks.get(same).verified() == blockSize
        && other.blocks.get(same).verified() == blockSize
        && !blocks.get(same).differsFrom(other.blocks.get(same))) {
      same++;
    }
    return same;
  }
}

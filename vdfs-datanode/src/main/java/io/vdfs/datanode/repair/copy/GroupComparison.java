package io.vdfs.datanode.repair.copy;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Compares what nodes found in a group, up to its length. Pure. */
final class GroupComparison {
  private final ClusterGeometry geometry;
  private final long length;
  private final int checksum;

  /**
   * @param length bytes of the group; bytes behind them do not count
   * @param checksum CRC32C of them, as their writer sent them; 0: not known
   */
  GroupComparison(ClusterGeometry geometry, long length, int checksum) {
    this.geometry = geometry;
    this.length = length;
    this.checksum = checksum;
  }

  /** The findings without those behind the group's length. */
  VerifiedGroup upToLength(VerifiedGroup found) {
    List<VerifiedBlock> blocks = new ArrayList<>();
    for (VerifiedBlock block : found.blocks()) {
      long rest = length - (long) blocks.size() * geometry.blockSize();
      if (rest <= 0) {
        break;
      }
      blocks.add(block.length() <= rest ? block : prefix(block, (int) rest));
    }
    return new VerifiedGroup(blocks);
  }

  /** A block whose checksum up to there was not asked for counts as damaged. */
  private static VerifiedBlock prefix(VerifiedBlock block, int end) {
    if (block.verified() <= end) {
      return new VerifiedBlock(
          block.writeEpoch(), end, block.verified(), block.crc(), block.prefixes());
    }
    return Optional.ofNullable(block.prefixes().get(end))
        .map(crc -> new VerifiedBlock(block.writeEpoch(), end, end, crc, Map.of()))
        .orElseGet(() -> new VerifiedBlock(block.writeEpoch(), end, 0, 0, Map.of()));
  }

  /** Number of blocks of the group. */
  int blocks() {
    return Math.toIntExact(geometry.blockCount(length));
  }

  /** Whether a node says that it has all bytes of a block and no others, sound or not. */
  boolean isClaimed(VerifiedGroup found, int block) {
    long bytes = Math.min(geometry.blockSize(), length - (long) block * geometry.blockSize());
    return block < found.blocks().size() && found.blocks().get(block).length() == bytes;
  }

  /** Whether all bytes of a block, and no others, are there and sound. */
  boolean isWhole(VerifiedGroup found, int block) {
    return isClaimed(found, block) && !found.blocks().get(block).isDamaged();
  }

  /**
   * Whether all bytes of the group, and no others, are there and sound, and are not known to be
   * others than were written.
   */
  boolean isWhole(VerifiedGroup found) {
    return found.claimed() == length && found.verified() == length && !isAnother(found);
  }

  /** Whether bytes that are all there and sound are others than were written. */
  boolean isAnother(VerifiedGroup found) {
    return isChecked() && found.verified() == length && combined(found) != checksum;
  }

  /** Whether it is known what was written. */
  boolean isChecked() {
    return checksum != 0;
  }

  private static int combined(VerifiedGroup found) {
    int combined = 0;
    for (VerifiedBlock block : found.blocks()) {
      combined = Crc32c.combine(combined, block.crc(), block.verified());
    }
    return combined;
  }

  /**
   * Blocks that a node lacks or has with other bytes, in their order.
   *
   * @param source whole
   * @param own up to the length
   */
  List<Integer> blocksToCopy(VerifiedGroup source, VerifiedGroup own) {
    List<Integer> blocks = new ArrayList<>();
    for (int at = 0; at < source.blocks().size(); at++) {
      if (at >= own.blocks().size() || !isSame(source.blocks().get(at), own.blocks().get(at))) {
        blocks.add(at);
      }
    }
    return blocks;
  }

  private static boolean isSame(VerifiedBlock source, VerifiedBlock own) {
    return own.length() == source.length()
        && own.verified() == source.verified()
        && own.crc() == source.crc();
  }

  /** The first block in which a node has other bytes than the source, sound and at least as new. */
  OptionalInt contradiction(VerifiedGroup source, VerifiedGroup own) {
    int common = Math.min(source.blocks().size(), own.blocks().size());
    for (int at = 0; at < common; at++) {
      VerifiedBlock there = source.blocks().get(at);
      VerifiedBlock here = own.blocks().get(at);
      if (here.differsFrom(there) && here.writeEpoch() >= there.writeEpoch()) {
        return OptionalInt.of(at);
      }
    }
    return OptionalInt.empty();
  }
}

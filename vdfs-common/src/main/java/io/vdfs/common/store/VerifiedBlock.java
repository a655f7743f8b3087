package io.vdfs.common.store;

import java.util.Map;
import java.util.Optional;

/**
 * The findings of a node that read a block back. Immutable.
 *
 * @param writeEpoch of the block
 * @param length bytes that count, by the block's footer
 * @param verified bytes up to the first chunk that is not what its writer sent
 * @param crc CRC32C of the verified bytes
 * @param prefixes CRC32C of some shorter prefixes of them, by length
 * @param promised CRC32C of all bytes that count as their writer sent them, by the footer, whatever
 *     the disk gives; empty where that is not known
 */
public record VerifiedBlock(
    long writeEpoch,
    int length,
    int verified,
    int crc,
    Map<Integer, Integer> prefixes,
    Optional<Integer> promised) {
  public VerifiedBlock {
    prefixes = Map.copyOf(prefixes);
    if (verified < 0 || length < verified) {
      throw new IllegalArgumentException(
          "no more can verify than there is: length=" + length + ", verified=" + verified);
    }
  }

  /** A block of which only the verified bytes are known. */
  public VerifiedBlock(
      long writeEpoch, int length, int verified, int crc, Map<Integer, Integer> prefixes) {
    this(
        writeEpoch,
        length,
        verified,
        crc,
        prefixes,
        verified == length ? Optional.of(crc) : Optional.empty());
  }

  public boolean isDamaged() {
    return verified < length;
  }

  /**
   * Whether the bytes that both have verified are known to differ. Where one has fewer of them, it
   * shows only if that many are among the other one's prefixes.
   */
  public boolean differsFrom(VerifiedBlock other) {
    int common = Math.min(verified, other.verified);
    Optional<Integer> here = crcOf(common);
    Optional<Integer> there = other.crcOf(common);
    return here.isPresent() && there.isPresent() && !here.equals(there);
  }

  private Optional<Integer> crcOf(int prefix) {
    return Optional.ofNullable(prefix == verified ? (Integer) crc : prefixes.get(prefix));
  }
}

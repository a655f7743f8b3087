package io.vdfs.common.model;

/**
 * A 64-bit fingerprint of <em>which</em> blocks were handled. The digest of a set is the sum,
 * modulo 2^64, of the digests of its blocks, so that tasks may add up theirs in a job counter and
 * the sum over all tasks equals the digest of the input if and (except by chance) only if each
 * block was handled once. It says nothing about the blocks' bytes. Pure.
 */
public final class BlockDigest {
  private BlockDigest() {}

  /** Digest of {@code count} blocks of {@code file} from block {@code first} on. */
  public static long of(FileKey file, long first, long count) {
    long seed = mix(mix(file.fileId()) + file.generation());
    long sum = 0;
    for (long block = first; block < first + count; block++) {
      sum += mix(seed + block);
    }
    return sum;
  }

  /**
   * The finaliser of SplitMix64 after a step by its odd constant: a bijection that spreads bits.
   */
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}

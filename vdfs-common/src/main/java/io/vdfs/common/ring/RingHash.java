package io.vdfs.common.ring;

/**
 * The hash that places files on the ring. Part of the on-disk contract: a cluster whose hash
 * changes no longer finds its blocks. Pure.
 */
final class RingHash {
  private RingHash() {}

  /**
   * Mixes all bits of {@code value}: the 64-bit finalizer {@code fmix64} of MurmurHash3, which
   * Austin Appleby placed in the public domain. A bijection, so distinct values keep distinct
   * hashes.
   */
  static long mix(long value) {
    long hash = value;
    hash ^= hash >>> 33;
    hash *= 0xff51afd7ed558ccdL;
    hash ^= hash >>> 33;
    hash *= 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    return hash;
  }

  /** Arc {@code hash(value) mod arcs}, the hash taken as an unsigned number. */
  static int arc(long value, int arcs) {
    return (int) Long.remainderUnsigned(mix(value), arcs);
  }
}

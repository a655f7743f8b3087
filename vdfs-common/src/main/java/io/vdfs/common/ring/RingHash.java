package io.vdfs.common.ring;

/**
 * The hash that places files on the ring. Part of the on-disk contract: a cluster whose hash
 * changes no longer finds its blocks. Pure.
 */
final class RingHash {
  private RingHash() {}

  /**
   * Mixes all bits of {@code fileId}: the 64-bit finalizer {@code fmix64} of MurmurHash3, which
   * Austin Appleby placed in the public domain. A bijection, so distinct ids keep distinct hashes.
   */
  static long mix(long fileId) {
    long hash = fileId;
    hash ^= hash >>> 33;
    hash *= 0xff51afd7ed558ccdL;
    hash ^= hash >>> 33;
    hash *= 0xc4ceb9fe1a85ec53L;
    hash ^= hash >>> 33;
    return hash;
  }

  /**
   * Arc {@code (hash(fileId) + group) mod arcs}, the hash taken as an unsigned number and reduced
   * before the sum, so that consecutive groups always lie on consecutive arcs.
   */
  static int arc(long fileId, int group, int arcs) {
    return (int) ((Long.remainderUnsigned(mix(fileId), arcs) + group) % arcs);
  }
}

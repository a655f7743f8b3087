package io.vdfs.datanode.meta;

/**
 * Layout of a snapshot of the metadata; numbers are big-endian.
 *
 * <pre>
 * +-----------+-------------+-----------+------------+-------------------------------+----------+
 * | magic u64 | version u32 | level u32 | CRC32C u32 | { length varint, MetaRecord } | 0 varint |
 * +-----------+-------------+-----------+------------+-------------------------------+----------+
 * | count of records u64    | CRC32C u32             |
 * +-------------------------+------------------------+
 * </pre>
 *
 * <p>Each CRC is of all bytes before it. The level is the feature level that was in force: only
 * members that have it read on.
 *
 * <p>The first record is the header with the cluster's geometry. A record is never empty, so that
 * length 0 ends them. Nothing follows the last CRC.
 */
final class SnapshotDescriptor {
  /** "VDFSMETA". */
  static final long MAGIC = 0x5644_4653_4d45_5441L;

  static final int VERSION = 3;

  /**
   * Longer records are neither written nor read. What one request of at most a few MiB brings fits
   * in any case; what many requests add up to has to be cut into several records.
   */
  static final int MAX_RECORD_BYTES = 256 << 20;

  private SnapshotDescriptor() {}
}

package io.vdfs.datanode.meta;

/**
 * Layout of a snapshot of the metadata; numbers are big-endian.
 *
 * <pre>
 * +----------------+----------------+-------------------------------+----------+
 * | magic u64      | version u32    | { length varint, MetaRecord } | 0 varint |
 * +----------------+----------------+-------------------------------+----------+
 * | count of records u64            | CRC32C of all before u32      |
 * +---------------------------------+-------------------------------+
 * </pre>
 *
 * <p>The first record is the header with the cluster's geometry. A record is never empty, so that
 * length 0 ends them. Nothing follows the CRC.
 */
final class SnapshotDescriptor {
  /** "VDFSMETA". */
  static final long MAGIC = 0x5644_4653_4d45_5441L;

  static final int VERSION = 1;

  /**
   * Longer records are neither written nor read. What one request of at most a few MiB brings fits
   * in any case; what many requests add up to has to be cut into several records.
   */
  static final int MAX_RECORD_BYTES = 256 << 20;

  private SnapshotDescriptor() {}
}

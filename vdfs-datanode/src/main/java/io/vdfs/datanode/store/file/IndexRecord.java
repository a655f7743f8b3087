package io.vdfs.datanode.store.file;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.FooterDescriptor;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A record of an index file, which follow one another after the header page. All numbers are
 * big-endian. Immutable.
 *
 * <pre>
 *   0  magic     4   "VIDR"
 *   4  type      4   1 settled, 2 reopened, 3 fence
 *   8  size      4   n, bytes of the body, a multiple of 4
 *  12  body      n   settled: a {@link BlockFooter}; reopened: slot 4; fence: group 4, epoch 8
 *  12+n  CRC32C  4   of all bytes before
 * </pre>
 */
public sealed interface IndexRecord {
  int ALIGNMENT = Integer.BYTES;

  /** The block of a slot is on stable storage as this footer says. */
  record Settled(BlockFooter footer) implements IndexRecord {}

  /** What earlier records say of the slot may be outdated: its footers count. */
  record Reopened(int slot) implements IndexRecord {}

  /** Writers of the group below the epoch are refused. */
  record Fence(int group, long epoch) implements IndexRecord {}

  /** Where the fields of a record lie. */
  final class Descriptor {
    private static final int MAGIC_VALUE = 0x56494452;
    private static final int MAGIC = 0;
    private static final int TYPE = MAGIC + Integer.BYTES;
    private static final int BODY_SIZE = TYPE + Integer.BYTES;
    private static final int BODY = BODY_SIZE + Integer.BYTES;
    private static final int CRC_SIZE = Integer.BYTES;
    private static final int SETTLED = 1;
    private static final int REOPENED = 2;
    private static final int FENCE = 3;

    private Descriptor() {}

    private static int type(IndexRecord record) {
      if (record instanceof Settled) {
        return SETTLED;
      }
      return record instanceof Reopened ? REOPENED : FENCE;
    }

    private static ByteBuffer body(IndexRecord record, CombinedFileHeader header) {
      if (record instanceof Settled settled) {
        return settled.footer().encode(header);
      }
      if (record instanceof Reopened reopened) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(reopened.slot()).flip();
      }
      Fence fence = (Fence) record;
      return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
          .putInt(fence.group())
          .putLong(fence.epoch())
          .flip();
    }
  }

  /** Bytes of a record of a block of {@code chunks} chunks; no other record is larger. */
  static int settledSize(int chunks) {
    return Descriptor.BODY + FooterDescriptor.size(chunks) + Descriptor.CRC_SIZE;
  }

  /** Bytes of a record of a fence. */
  static int fenceSize() {
    return Descriptor.BODY + Integer.BYTES + Long.BYTES + Descriptor.CRC_SIZE;
  }

  /**
   * Where the next record may begin, judged by its first bytes.
   *
   * @param from index in {@code source} to look from, in steps of the alignment
   * @return behind the last whole step if there is none
   */
  static int nextBegin(ByteBuffer source, int from) {
    int at = from;
    int last = source.limit() - Integer.BYTES;
    while (at <= last && source.getInt(at) != Descriptor.MAGIC_VALUE) {
      at += ALIGNMENT;
    }
    return at;
  }

  /** The record's bytes, ready to be written to an index file with this header. */
  default ByteBuffer encode(CombinedFileHeader header) {
    ByteBuffer body = Descriptor.body(this, header);
    int size = body.remaining();
    ByteBuffer target = ByteBuffer.allocate(Descriptor.BODY + size + Descriptor.CRC_SIZE);
    target.putInt(Descriptor.MAGIC_VALUE).putInt(Descriptor.type(this)).putInt(size).put(body);
    return target.putInt(Crc32c.of(target.slice(0, target.position()))).flip();
  }

  /**
   * Bytes of the record at the position of {@code source}.
   *
   * @param largest size of a record
   * @return empty if no whole and right record stands there
   */
  static Optional<Integer> sizeAt(ByteBuffer source, int largest) {
    ByteBuffer found = source.slice();
    if (found.remaining() < Descriptor.BODY + Descriptor.CRC_SIZE
        || found.getInt(Descriptor.MAGIC) != Descriptor.MAGIC_VALUE) {
      return Optional.empty();
    }
    long size = found.getInt(Descriptor.BODY_SIZE);
    long whole = Descriptor.BODY + size + Descriptor.CRC_SIZE;
    if (size < 0 || size % ALIGNMENT != 0 || whole > Math.min(largest, found.remaining())) {
      return Optional.empty();
    }
    int crcOffset = Descriptor.BODY + (int) size;
    return Crc32c.of(found.slice(0, crcOffset)) == found.getInt(crcOffset)
        ? Optional.of((int) whole)
        : Optional.empty();
  }

  /**
   * Reads the record at the position of {@code source}, where {@link #sizeAt} found one, without
   * moving it.
   *
   * @throws VdfsException CORRUPT if its body is of no known kind
   */
  static IndexRecord decode(ByteBuffer source, CombinedFileHeader header) throws VdfsException {
    ByteBuffer found = source.slice();
    int size = found.getInt(Descriptor.BODY_SIZE);
    ByteBuffer body = found.slice(Descriptor.BODY, size);
    int type = found.getInt(Descriptor.TYPE);
    if (type == Descriptor.SETTLED) {
      return new Settled(BlockFooter.decode(body, header));
    }
    if (type == Descriptor.REOPENED && size == Integer.BYTES) {
      return new Reopened(body.getInt());
    }
    if (type == Descriptor.FENCE && size == Integer.BYTES + Long.BYTES) {
      return new Fence(body.getInt(), body.getLong());
    }
    throw new VdfsException(
        ErrorCode.CORRUPT, "no such index record: type=" + type + ", size=" + size);
  }
}

package io.vdfs.datanode.meta;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRecord;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;

/**
 * Reads one snapshot, record by record; see {@link SnapshotDescriptor}. What it hands out counts
 * only once {@link #next()} has returned empty. Confined to its caller's thread.
 */
final class SnapshotReader {
  private static final int BUFFER_BYTES = 1 << 16;

  private final CRC32C checksum = new CRC32C();
  private final DataInputStream in;
  private long count;

  /**
   * @param in holds the snapshot and nothing after it
   * @param levels that can be carried out
   * @throws VdfsException CORRUPT; UNSUPPORTED if it is above or below these levels
   */
  SnapshotReader(InputStream in, FeatureLevels levels) throws IOException {
    this.in =
        new DataInputStream(
            new CheckedInputStream(new BufferedInputStream(in, BUFFER_BYTES), checksum));
    try {
      readStart(levels);
    } catch (EOFException e) {
      throw cutShort(e);
    }
  }

  private void readStart(FeatureLevels levels) throws IOException {
    long magic = in.readLong();
    int version = in.readInt();
    if (magic != SnapshotDescriptor.MAGIC || version != SnapshotDescriptor.VERSION) {
      throw corrupt(
          "not a metadata snapshot of this version: magic=%s, version=%s, expected=%s"
              .formatted(Long.toHexString(magic), version, SnapshotDescriptor.VERSION));
    }
    int level = in.readInt();
    int actual = (int) checksum.getValue();
    if (in.readInt() != actual) {
      throw corrupt("snapshot has a damaged beginning: level=" + level);
    }
    levels.requireReadable("snapshot", level);
  }

  /**
   * The next record; empty after the last one, when the whole snapshot was found undamaged.
   *
   * @throws VdfsException CORRUPT
   */
  Optional<MetaRecord> next() throws IOException {
    try {
      int length = readLength();
      if (length == 0) {
        readEnd();
        return Optional.empty();
      }
      count++;
      byte[] record = in.readNBytes(length);
      if (record.length < length) {
        throw corrupt("snapshot is cut short: record=" + count + ", length=" + length);
      }
      return Optional.of(MetaRecord.parseFrom(record));
    } catch (EOFException e) {
      throw cutShort(e);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "snapshot has a damaged record: record=" + count, e);
    }
  }

  private int readLength() throws IOException {
    long length = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int next = in.readUnsignedByte();
      length |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        if (length > SnapshotDescriptor.MAX_RECORD_BYTES) {
          break;
        }
        return (int) length;
      }
    }
    throw corrupt("snapshot has a record of impossible length: after=" + count);
  }

  private void readEnd() throws IOException {
    long expectedCount = in.readLong();
    int actual = (int) checksum.getValue();
    int expected = in.readInt();
    if (actual != expected || count != expectedCount) {
      throw corrupt(
          "snapshot is damaged: crc32c=%s, expected=%s, records=%s, expected=%s"
              .formatted(
                  Integer.toHexString(actual),
                  Integer.toHexString(expected),
                  count,
                  expectedCount));
    }
    if (in.read() >= 0) {
      throw corrupt("snapshot is followed by other bytes: records=" + count);
    }
  }

  private static VdfsException corrupt(String message) {
    return new VdfsException(ErrorCode.CORRUPT, message);
  }

  private static VdfsException cutShort(EOFException cause) {
    return new VdfsException(ErrorCode.CORRUPT, "snapshot is cut short", cause);
  }
}

package io.vdfs.datanode.meta;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRecord;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/** Writes one snapshot; see {@link SnapshotDescriptor}. Confined to its caller's thread. */
final class SnapshotWriter {
  private static final int BUFFER_BYTES = 1 << 16;

  private final CRC32C checksum = new CRC32C();
  private final DataOutputStream out;
  private long count;

  /**
   * @param level the feature level in force
   */
  SnapshotWriter(OutputStream out, int level) throws IOException {
    this.out =
        new DataOutputStream(
            new CheckedOutputStream(new BufferedOutputStream(out, BUFFER_BYTES), checksum));
    this.out.writeLong(SnapshotDescriptor.MAGIC);
    this.out.writeInt(SnapshotDescriptor.VERSION);
    this.out.writeInt(level);
    this.out.writeInt((int) checksum.getValue());
  }

  /**
   * @throws VdfsException INTERNAL if no reader would take a record of this length: the snapshot
   *     must not be used
   */
  void write(MetaRecord record) throws IOException {
    int length = record.getSerializedSize();
    if (length > SnapshotDescriptor.MAX_RECORD_BYTES) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "record too long for a snapshot: record=%s, before=%s, length=%s, most=%s"
              .formatted(
                  record.getRecordCase(), count, length, SnapshotDescriptor.MAX_RECORD_BYTES));
    }
    record.writeDelimitedTo(out);
    count++;
  }

  /** Ends the snapshot and flushes it; the stream stays open. */
  void finish() throws IOException {
    out.writeByte(0);
    out.writeLong(count);
    out.writeInt((int) checksum.getValue());
    out.flush();
  }
}

package io.vdfs.datanode.meta;

import com.google.common.primitives.Bytes;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.fuzz.FuzzContract;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Snapshots, as a member gets them from another one: as they are, and with right checksums. */
class SnapshotFuzzTest extends FuzzContract {
  private static final byte AS_IT_IS = 0;
  private static final byte SEALED = 1;
  private static final int START_BYTES = Long.BYTES + 3 * Integer.BYTES;
  private static final int END_BYTES = 1 + Long.BYTES + Integer.BYTES;

  private final byte[] sound = sound();

  private static byte[] sound() {
    MetadataHarness meta = new MetadataHarness();
    meta.mkdir("/a/b");
    meta.file("/a/f", 10_000);
    meta.open("/a/open", 1);
    meta.ok(meta.delete("/a/b", true));
    return meta.saved().toByteArray();
  }

  @Override
  protected List<byte[]> seeds() {
    byte[] records = Arrays.copyOfRange(sound, START_BYTES, sound.length - END_BYTES);
    return List.of(
        Bytes.concat(new byte[] {AS_IT_IS}, sound), Bytes.concat(new byte[] {SEALED}, records));
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    byte[] rest = Arrays.copyOfRange(input, Math.min(1, input.length), input.length);
    byte[] snapshot = input.length > 0 && input[0] == SEALED ? sealed(rest) : rest;
    try {
      new MetadataHarness().state().load(new ByteArrayInputStream(snapshot));
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new AssertionError("bytes in memory can always be read", e);
    }
  }

  /** A snapshot with these records, and with the end and checksums that belong to them. */
  private byte[] sealed(byte[] records) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(sound, 0, START_BYTES);
    long count = copy(CodedInputStream.newInstance(records), bytes);
    bytes.write(0);
    bytes.write(ByteBuffer.allocate(Long.BYTES).putLong(count).array());
    CRC32C crc = new CRC32C();
    crc.update(bytes.toByteArray());
    bytes.write(ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array());
    return bytes.toByteArray();
  }

  private static long copy(CodedInputStream records, ByteArrayOutputStream bytes)
      throws IOException {
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    long count = 0;
    try {
      while (!records.isAtEnd()) {
        byte[] record = records.readByteArray();
        if (record.length > 0) {
          out.writeByteArrayNoTag(record);
          count++;
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(ErrorCode.CORRUPT, "the rest is no record", e);
    } finally {
      out.flush();
    }
    return count;
  }
}

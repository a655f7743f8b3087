package io.vdfs.datanode.store.file;

import com.google.common.primitives.Bytes;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.fuzz.FuzzContract;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Headers, footers and index records: as they lie on a disk, and with right checksums. */
class IndexFuzzTest extends FuzzContract {
  private static final byte RECORD = 0;
  private static final byte FOOTER = 1;
  private static final byte HEADER = 2;
  private static final byte SEALED_RECORD = 3;
  private static final int SIZE_OFFSET = 2 * Integer.BYTES;
  private static final int BODY_OFFSET = 3 * Integer.BYTES;

  private final CombinedFileHeader header =
      new CombinedFileHeader(
          CombinedFileHeader.Kind.INDEX,
          new UUID(1, 2),
          new NodeId(new UUID(3, 4)),
          new UUID(5, 6),
          new FileKey(7, 1),
          BlockRole.PRIMARY,
          new CombinedFileLayout(2_048, 512));
  private final int largest = IndexRecord.settledSize(header.layout().chunksPerBlock());

  @Override
  protected List<byte[]> seeds() {
    BlockFooter footer = new BlockFooter(1, 2, 3, 3, 4, 600, 600, ChunkChecksums.of(1, 2));
    byte[] settled = bytes(new IndexRecord.Settled(footer).encode(header));
    return List.of(
        kind(RECORD, settled),
        kind(RECORD, bytes(new IndexRecord.Reopened(3).encode(header))),
        kind(RECORD, bytes(new IndexRecord.Fence(1, 9).encode(header))),
        kind(SEALED_RECORD, settled),
        kind(FOOTER, bytes(footer.encode(header))),
        kind(HEADER, bytes(header.encode())));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static byte[] kind(byte kind, byte[] record) {
    return Bytes.concat(new byte[] {kind}, record);
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    ByteBuffer found =
        ByteBuffer.wrap(Arrays.copyOfRange(input, Math.min(1, input.length), input.length));
    switch (input.length == 0 ? RECORD : input[0]) {
      case FOOTER -> BlockFooter.decode(found, header);
      case HEADER -> {
        if (found.remaining() >= CombinedFileHeader.SIZE) {
          header.check(found, "fuzz");
        } else {
          header.problemWith(found);
        }
      }
      case SEALED_RECORD -> readRecord(sealed(found));
      default -> readRecord(found);
    }
  }

  private static ByteBuffer sealed(ByteBuffer record) {
    int body = record.remaining() - BODY_OFFSET - Integer.BYTES;
    if (body >= 0) {
      record.putInt(SIZE_OFFSET, body);
      int crcOffset = BODY_OFFSET + body;
      record.putInt(crcOffset, Crc32c.of(record.slice(0, crcOffset)));
    }
    return record;
  }

  private void readRecord(ByteBuffer found) throws VdfsException {
    int next = IndexRecord.nextBegin(found, 0);
    if (next > found.limit()) {
      throw new AssertionError("no place to go on: next=" + next + ", limit=" + found.limit());
    }
    Optional<Integer> size = IndexRecord.sizeAt(found, largest);
    if (size.isPresent()) {
      IndexRecord.decode(found, header);
    }
  }
}

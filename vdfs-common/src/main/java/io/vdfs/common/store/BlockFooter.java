package io.vdfs.common.store;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Says what a slot of a combined file holds, together with the writer's checksums of it. A slot has
 * two footer copies; the valid one with the highest sequence counts, so a torn rewrite loses to the
 * other copy. Length and the checksum of the last, possibly partial, chunk are published together.
 * All numbers are big-endian. Immutable.
 *
 * <p>A footer says by itself whose combined file it belongs to: the contents of the slot are known
 * even without the file's header page, and a slot of another file is never taken for one of this
 * file.
 *
 * <pre>
 *   0  magic         4   "VDFF"
 *   4  version       4   3
 *   8  identity     72   bytes 12 to 83 of the {@link CombinedFileHeader} of the file
 *  80  slot          4
 *  84  block         8   number of the block within its file
 *  92  writeEpoch    8   of the writer whose bytes these are
 * 100  fence         8   lower epochs no longer write the block's group; 0 where that is not said
 * 108  sequence      8   rises with each footer of this block
 * 116  length        4   valid bytes; 0 says that the block was truncated away
 * 120  syncedLength  4   bytes known to be on stable storage before this footer was written
 * 124  chunks        4   n = ceil(length / chunk size)
 * 128  checksums    4n   CRC32C of each chunk
 * 128+4n  CRC32C     4   of all bytes before
 * </pre>
 */
public record BlockFooter(
    int slot,
    long block,
    long writeEpoch,
    long fence,
    long sequence,
    int length,
    int syncedLength,
    ChunkChecksums checksums) {
  public static final int VERSION = 3;

  private static final int MAGIC_VALUE = 0x56444646;
  private static final int MAGIC = 0;
  private static final int FORMAT_VERSION = MAGIC + Integer.BYTES;
  private static final int IDENTITY = FORMAT_VERSION + Integer.BYTES;
  private static final int SLOT = IDENTITY + CombinedFileHeader.IDENTITY_SIZE;
  private static final int BLOCK = SLOT + Integer.BYTES;
  private static final int WRITE_EPOCH = BLOCK + Long.BYTES;
  private static final int FENCE = WRITE_EPOCH + Long.BYTES;
  private static final int SEQUENCE = FENCE + Long.BYTES;
  private static final int LENGTH = SEQUENCE + Long.BYTES;
  private static final int SYNCED_LENGTH = LENGTH + Integer.BYTES;
  private static final int CHUNKS = SYNCED_LENGTH + Integer.BYTES;
  private static final int CHECKSUMS = CHUNKS + Integer.BYTES;

  public BlockFooter {
    if (slot < 0 || block < 0 || length < 0 || syncedLength < 0) {
      throw new IllegalArgumentException(
          "negative footer field: slot=%s, block=%s, length=%s, syncedLength=%s"
              .formatted(slot, block, length, syncedLength));
    }
  }

  /** Bytes of a footer of {@code chunks} chunks. */
  public static int encodedSize(int chunks) {
    return CHECKSUMS + chunks * Integer.BYTES + Integer.BYTES;
  }

  /**
   * The footer's bytes, ready to be written.
   *
   * @param header of the combined file with the slot
   */
  public ByteBuffer encode(CombinedFileHeader header) {
    ByteBuffer target = ByteBuffer.allocate(encodedSize(checksums.count()));
    target.putInt(MAGIC, MAGIC_VALUE);
    target.putInt(FORMAT_VERSION, VERSION);
    target.put(IDENTITY, header.identity(), 0, CombinedFileHeader.IDENTITY_SIZE);
    target.putInt(SLOT, slot);
    target.putLong(BLOCK, block);
    target.putLong(WRITE_EPOCH, writeEpoch);
    target.putLong(FENCE, fence);
    target.putLong(SEQUENCE, sequence);
    target.putInt(LENGTH, length);
    target.putInt(SYNCED_LENGTH, syncedLength);
    target.putInt(CHUNKS, checksums.count());
    target.position(CHECKSUMS);
    checksums.write(target);
    target.putInt(Crc32c.of(target.slice(0, target.position())));
    return target.flip();
  }

  /**
   * Looks at the bytes of {@code source} from its position on, without moving it.
   *
   * @param header of the combined file in which the footer stands, whatever it says there
   * @return what is wrong with the values found; empty if {@link #decode} would succeed
   */
  public static Optional<String> problemWith(ByteBuffer source, CombinedFileHeader header) {
    CombinedFileLayout layout = header.layout();
    ByteBuffer found = source.slice();
    if (found.remaining() < encodedSize(0)) {
      return Optional.of("footer cut short: bytes=" + found.remaining());
    }
    if (found.getInt(MAGIC) != MAGIC_VALUE) {
      return Optional.of(
          String.format(
              "footer magic: found=%08x, expected=%08x", found.getInt(MAGIC), MAGIC_VALUE));
    }
    if (found.getInt(FORMAT_VERSION) != VERSION) {
      return Optional.of(
          "footer version: found=" + found.getInt(FORMAT_VERSION) + ", supported=" + VERSION);
    }
    int length = found.getInt(LENGTH);
    int synced = found.getInt(SYNCED_LENGTH);
    int chunks = found.getInt(CHUNKS);
    if (length < 0
        || length > layout.blockSize()
        || synced < 0
        || synced > layout.blockSize()
        || chunks != ChunkChecksums.countFor(length, layout.chunkSize())
        || found.remaining() < encodedSize(chunks)) {
      return Optional.of(
          "footer lengths: length=" + length + ", syncedLength=" + synced + ", chunks=" + chunks);
    }
    int crcOffset = encodedSize(chunks) - Integer.BYTES;
    int crc = Crc32c.of(found.slice(0, crcOffset));
    if (crc != found.getInt(crcOffset)) {
      return Optional.of(
          String.format(
              "footer checksum: stored=%08x, computed=%08x", found.getInt(crcOffset), crc));
    }
    ByteBuffer identity = found.slice(IDENTITY, CombinedFileHeader.IDENTITY_SIZE);
    if (!identity.equals(header.identity())) {
      return Optional.of("footer of another place: " + header.difference(identity));
    }
    if (found.getInt(SLOT) < 0 || found.getLong(BLOCK) < 0) {
      return Optional.of(
          "footer position: slot=" + found.getInt(SLOT) + ", block=" + found.getLong(BLOCK));
    }
    return Optional.empty();
  }

  /**
   * The header of the file that a footer says it stands in, whatever file that is.
   *
   * @return empty if the bytes are no footer of a file that is cut like this
   */
  public static Optional<CombinedFileHeader> headerOf(
      ByteBuffer source, CombinedFileLayout layout) {
    return source.remaining() < encodedSize(0)
        ? Optional.empty()
        : CombinedFileHeader.decodeIdentity(
                CombinedFileHeader.Kind.DATA,
                source.slice(source.position() + IDENTITY, CombinedFileHeader.IDENTITY_SIZE))
            .filter(header -> header.layout().equals(layout))
            .filter(header -> problemWith(source, header).isEmpty());
  }

  /**
   * Reads the footer at the position of {@code source}, without moving it.
   *
   * @throws VdfsException CORRUPT, with what was found
   */
  public static BlockFooter decode(ByteBuffer source, CombinedFileHeader header)
      throws VdfsException {
    Optional<String> problem = problemWith(source, header);
    if (problem.isPresent()) {
      throw new VdfsException(ErrorCode.CORRUPT, problem.get());
    }
    ByteBuffer found = source.slice();
    found.position(CHECKSUMS);
    ChunkChecksums checksums = ChunkChecksums.read(found, found.getInt(CHUNKS));
    return new BlockFooter(
        found.getInt(SLOT),
        found.getLong(BLOCK),
        found.getLong(WRITE_EPOCH),
        found.getLong(FENCE),
        found.getLong(SEQUENCE),
        found.getInt(LENGTH),
        found.getInt(SYNCED_LENGTH),
        checksums);
  }
}

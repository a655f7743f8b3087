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
 * Immutable.
 *
 * @see FooterDescriptor
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
  public BlockFooter {
    if (slot < 0 || block < 0 || length < 0 || syncedLength < 0) {
      throw new IllegalArgumentException(
          "negative footer field: slot=%s, block=%s, length=%s, syncedLength=%s"
              .formatted(slot, block, length, syncedLength));
    }
  }

  /**
   * The footer's bytes, ready to be written.
   *
   * @param header of the combined file with the slot
   */
  public ByteBuffer encode(CombinedFileHeader header) {
    ByteBuffer target = ByteBuffer.allocate(FooterDescriptor.size(checksums.count()));
    target.putInt(FooterDescriptor.MAGIC, FooterDescriptor.MAGIC_VALUE);
    target.putInt(FooterDescriptor.FORMAT_VERSION, FooterDescriptor.VERSION);
    target.put(FooterDescriptor.IDENTITY, header.identity(), 0, IdentityDescriptor.SIZE);
    target.putInt(FooterDescriptor.SLOT, slot);
    target.putLong(FooterDescriptor.BLOCK, block);
    target.putLong(FooterDescriptor.WRITE_EPOCH, writeEpoch);
    target.putLong(FooterDescriptor.FENCE, fence);
    target.putLong(FooterDescriptor.SEQUENCE, sequence);
    target.putInt(FooterDescriptor.LENGTH, length);
    target.putInt(FooterDescriptor.SYNCED_LENGTH, syncedLength);
    target.putInt(FooterDescriptor.CHUNKS, checksums.count());
    target.position(FooterDescriptor.CHECKSUMS);
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
    if (found.remaining() < FooterDescriptor.size(0)) {
      return Optional.of("footer cut short: bytes=" + found.remaining());
    }
    if (found.getInt(FooterDescriptor.MAGIC) != FooterDescriptor.MAGIC_VALUE) {
      return Optional.of(
          String.format(
              "footer magic: found=%08x, expected=%08x",
              found.getInt(FooterDescriptor.MAGIC), FooterDescriptor.MAGIC_VALUE));
    }
    if (found.getInt(FooterDescriptor.FORMAT_VERSION) != FooterDescriptor.VERSION) {
      return Optional.of(
          "footer version: found=%s, supported=%s"
              .formatted(found.getInt(FooterDescriptor.FORMAT_VERSION), FooterDescriptor.VERSION));
    }
    int length = found.getInt(FooterDescriptor.LENGTH);
    int synced = found.getInt(FooterDescriptor.SYNCED_LENGTH);
    int chunks = found.getInt(FooterDescriptor.CHUNKS);
    if (length < 0
        || length > layout.blockSize()
        || synced < 0
        || synced > layout.blockSize()
        || chunks != ChunkChecksums.countFor(length, layout.chunkSize())
        || found.remaining() < FooterDescriptor.size(chunks)) {
      return Optional.of(
          "footer lengths: length=" + length + ", syncedLength=" + synced + ", chunks=" + chunks);
    }
    int crcOffset = FooterDescriptor.size(chunks) - Integer.BYTES;
    int crc = Crc32c.of(found.slice(0, crcOffset));
    if (crc != found.getInt(crcOffset)) {
      return Optional.of(
          String.format(
              "footer checksum: stored=%08x, computed=%08x", found.getInt(crcOffset), crc));
    }
    ByteBuffer identity = found.slice(FooterDescriptor.IDENTITY, IdentityDescriptor.SIZE);
    if (!identity.equals(header.identity())) {
      return Optional.of("footer of another place: " + header.difference(identity));
    }
    if (found.getInt(FooterDescriptor.SLOT) < 0 || found.getLong(FooterDescriptor.BLOCK) < 0) {
      return Optional.of(
          "footer position: slot=%s, block=%s"
              .formatted(
                  found.getInt(FooterDescriptor.SLOT), found.getLong(FooterDescriptor.BLOCK)));
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
    return source.remaining() < FooterDescriptor.size(0)
        ? Optional.empty()
        : CombinedFileHeader.decodeIdentity(
                CombinedFileHeader.Kind.DATA,
                source.slice(
                    source.position() + FooterDescriptor.IDENTITY, IdentityDescriptor.SIZE))
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
    found.position(FooterDescriptor.CHECKSUMS);
    ChunkChecksums checksums = ChunkChecksums.read(found, found.getInt(FooterDescriptor.CHUNKS));
    return new BlockFooter(
        found.getInt(FooterDescriptor.SLOT),
        found.getLong(FooterDescriptor.BLOCK),
        found.getLong(FooterDescriptor.WRITE_EPOCH),
        found.getLong(FooterDescriptor.FENCE),
        found.getLong(FooterDescriptor.SEQUENCE),
        found.getInt(FooterDescriptor.LENGTH),
        found.getInt(FooterDescriptor.SYNCED_LENGTH),
        checksums);
  }
}

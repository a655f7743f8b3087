package io.vdfs.common.store;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/**
 * First page of a combined file and, with another magic, of its index file: whose it is and how it
 * is cut. Written once. All numbers are big-endian. Immutable.
 *
 * <pre>
 *   0  magic        8   "VDFSCOMB" (data file) or "VDFSCIDX" (index file)
 *   8  version      4   2
 *  12  identity    72   {@link IdentityDescriptor}
 *  84  zero
 * 4092 CRC32C       4   of bytes 0 to 4091
 * </pre>
 */
public record CombinedFileHeader(
    Kind kind,
    UUID cluster,
    NodeId node,
    UUID volume,
    FileKey key,
    BlockRole role,
    CombinedFileLayout layout) {
  public static final int SIZE = CombinedFileLayout.HEADER_SIZE;
  public static final int VERSION = 2;

  private static final int MAGIC = 0;
  private static final int FORMAT_VERSION = MAGIC + Long.BYTES;
  private static final int IDENTITY = FORMAT_VERSION + Integer.BYTES;
  private static final int CRC = SIZE - Integer.BYTES;

  /** Which of the two files of a pair a header stands in. */
  public enum Kind {
    DATA(0x56444653434f4d42L),
    INDEX(0x5644465343494458L);

    private final long magic;

    Kind(long magic) {
      this.magic = magic;
    }
  }

  /** The same identity for the other file of the pair. */
  public CombinedFileHeader withKind(Kind newKind) {
    return new CombinedFileHeader(newKind, cluster, node, volume, key, role, layout);
  }

  /** The header page, ready to be written at offset 0. */
  public ByteBuffer encode() {
    ByteBuffer page = ByteBuffer.allocate(SIZE);
    page.putLong(MAGIC, kind.magic);
    page.putInt(FORMAT_VERSION, VERSION);
    page.put(IDENTITY, identity(), 0, IdentityDescriptor.SIZE);
    page.putInt(CRC, Crc32c.of(page.slice(0, CRC)));
    return page;
  }

  /** The fields that say whose a file and a slot in it are, as both formats have them. */
  ByteBuffer identity() {
    ByteBuffer fields = ByteBuffer.allocate(IdentityDescriptor.SIZE);
    fields.putInt(IdentityDescriptor.ROLE, role.code());
    IdentityDescriptor.putUuid(fields, IdentityDescriptor.CLUSTER, cluster);
    IdentityDescriptor.putUuid(fields, IdentityDescriptor.NODE, node.uuid());
    IdentityDescriptor.putUuid(fields, IdentityDescriptor.VOLUME, volume);
    fields.putLong(IdentityDescriptor.FILE_ID, key.fileId());
    fields.putInt(IdentityDescriptor.GENERATION, key.generation());
    fields.putInt(IdentityDescriptor.BLOCK_SIZE, layout.blockSize());
    fields.putInt(IdentityDescriptor.CHUNK_SIZE, layout.chunkSize());
    return fields;
  }

  /**
   * Compares {@code page}, the first bytes of a file, with this header.
   *
   * @return what is wrong, with the values found; empty if the page is this header
   */
  public Optional<String> problemWith(ByteBuffer page) {
    if (page.remaining() < SIZE) {
      return Optional.of("header cut short: bytes=" + page.remaining() + ", expected=" + SIZE);
    }
    ByteBuffer found = page.slice(page.position(), SIZE);
    int crc = Crc32c.of(found.slice(0, CRC));
    if (crc != found.getInt(CRC)) {
      return Optional.of(
          String.format("header checksum: stored=%08x, computed=%08x", found.getInt(CRC), crc));
    }
    if (found.getLong(MAGIC) != kind.magic) {
      return Optional.of(
          String.format("magic: found=%016x, expected=%016x", found.getLong(MAGIC), kind.magic));
    }
    if (found.getInt(FORMAT_VERSION) != VERSION) {
      return Optional.of(
          "format version: found=" + found.getInt(FORMAT_VERSION) + ", supported=" + VERSION);
    }
    return found.equals(encode().rewind())
        ? Optional.empty()
        : Optional.of("identity: " + difference(found.slice(IDENTITY, IdentityDescriptor.SIZE)));
  }

  /**
   * Fails unless {@code page} is this header.
   *
   * @param where the file, for the message
   * @throws VdfsException CORRUPT
   */
  public void check(ByteBuffer page, String where) throws VdfsException {
    Optional<String> problem = problemWith(page);
    if (problem.isPresent()) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "not the expected combined file: file=" + where + ", " + problem.get());
    }
  }

  /**
   * Reads whatever header a page holds, of a file whose name does not say whose it is.
   *
   * @return empty if the page is no header of this version and kind
   */
  public static Optional<CombinedFileHeader> decode(Kind kind, ByteBuffer page) {
    return page.remaining() < SIZE
        ? Optional.empty()
        : decodeIdentity(kind, page.slice(page.position() + IDENTITY, IdentityDescriptor.SIZE))
            .filter(header -> header.problemWith(page).isEmpty());
  }

  /** The header that has these fields; empty if none can have them. */
  static Optional<CombinedFileHeader> decodeIdentity(Kind kind, ByteBuffer fields) {
    try {
      return Optional.of(
          new CombinedFileHeader(
              kind,
              IdentityDescriptor.getUuid(fields, IdentityDescriptor.CLUSTER),
              new NodeId(IdentityDescriptor.getUuid(fields, IdentityDescriptor.NODE)),
              IdentityDescriptor.getUuid(fields, IdentityDescriptor.VOLUME),
              new FileKey(
                  fields.getLong(IdentityDescriptor.FILE_ID),
                  fields.getInt(IdentityDescriptor.GENERATION)),
              BlockRole.ofCode(fields.getInt(IdentityDescriptor.ROLE)),
              new CombinedFileLayout(
                  fields.getInt(IdentityDescriptor.BLOCK_SIZE),
                  fields.getInt(IdentityDescriptor.CHUNK_SIZE))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Says in words which {@link #identity} was found and which should be there. */
  String difference(ByteBuffer found) {
    return "found=%s, expected=%s"
        .formatted(IdentityDescriptor.describe(found), IdentityDescriptor.describe(identity()));
  }
}

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
 *  12  role         4   {@link BlockRole#code()}
 *  16  cluster     16
 *  32  node        16
 *  48  volume      16
 *  64  fileId       8
 *  72  generation   4
 *  76  blockSize    4
 *  80  chunkSize    4
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
  public static final int SIZE = 4096;
  public static final int VERSION = 2;

  private static final int MAGIC = 0;
  private static final int FORMAT_VERSION = MAGIC + Long.BYTES;
  private static final int ROLE = FORMAT_VERSION + Integer.BYTES;
  private static final int CLUSTER = ROLE + Integer.BYTES;
  private static final int NODE = CLUSTER + 2 * Long.BYTES;
  private static final int VOLUME = NODE + 2 * Long.BYTES;
  private static final int FILE_ID = VOLUME + 2 * Long.BYTES;
  private static final int GENERATION = FILE_ID + Long.BYTES;
  private static final int BLOCK_SIZE = GENERATION + Integer.BYTES;
  private static final int CHUNK_SIZE = BLOCK_SIZE + Integer.BYTES;
  private static final int IDENTITY_END = CHUNK_SIZE + Integer.BYTES;
  private static final int CRC = SIZE - Integer.BYTES;

  /** Bytes of the fields from the role to the chunk size, which footers repeat. */
  static final int IDENTITY_SIZE = IDENTITY_END - ROLE;

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
    page.put(ROLE, identity(), 0, IDENTITY_SIZE);
    page.putInt(CRC, Crc32c.of(page.slice(0, CRC)));
    return page;
  }

  /** The fields that say whose a file and a slot in it are, as both formats have them. */
  ByteBuffer identity() {
    ByteBuffer fields = ByteBuffer.allocate(IDENTITY_SIZE);
    fields.putInt(role.code());
    putUuid(fields, cluster);
    putUuid(fields, node.uuid());
    putUuid(fields, volume);
    fields.putLong(key.fileId()).putInt(key.generation());
    fields.putInt(layout.blockSize()).putInt(layout.chunkSize());
    return fields.flip();
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
        : Optional.of("identity: " + difference(found.slice(ROLE, IDENTITY_SIZE)));
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
        : decodeIdentity(kind, page.slice(page.position() + ROLE, IDENTITY_SIZE))
            .filter(header -> header.problemWith(page).isEmpty());
  }

  /** The header that has these fields; empty if none can have them. */
  static Optional<CombinedFileHeader> decodeIdentity(Kind kind, ByteBuffer fields) {
    try {
      return Optional.of(
          new CombinedFileHeader(
              kind,
              getUuid(fields, CLUSTER - ROLE),
              new NodeId(getUuid(fields, NODE - ROLE)),
              getUuid(fields, VOLUME - ROLE),
              new FileKey(fields.getLong(FILE_ID - ROLE), fields.getInt(GENERATION - ROLE)),
              BlockRole.ofCode(fields.getInt(0)),
              new CombinedFileLayout(
                  fields.getInt(BLOCK_SIZE - ROLE), fields.getInt(CHUNK_SIZE - ROLE))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Says in words which {@link #identity} was found and which should be there. */
  String difference(ByteBuffer found) {
    return "found=" + describe(found) + ", expected=" + describe(identity());
  }

  private static String describe(ByteBuffer fields) {
    return "cluster "
        + getUuid(fields, CLUSTER - ROLE)
        + " node "
        + getUuid(fields, NODE - ROLE)
        + " volume "
        + getUuid(fields, VOLUME - ROLE)
        + " file "
        + fields.getLong(FILE_ID - ROLE)
        + "."
        + fields.getInt(GENERATION - ROLE)
        + " role "
        + fields.getInt(0)
        + " block "
        + fields.getInt(BLOCK_SIZE - ROLE)
        + " chunk "
        + fields.getInt(CHUNK_SIZE - ROLE);
  }

  private static void putUuid(ByteBuffer target, UUID uuid) {
    target.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
  }

  private static UUID getUuid(ByteBuffer fields, int offset) {
    return new UUID(fields.getLong(offset), fields.getLong(offset + Long.BYTES));
  }
}

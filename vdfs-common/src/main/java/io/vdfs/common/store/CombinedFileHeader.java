package io.vdfs.common.store;

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
 *   8  version      4   1
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
  public static final int VERSION = 1;

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
    page.putInt(ROLE, role.code());
    putUuid(page, CLUSTER, cluster);
    putUuid(page, NODE, node.uuid());
    putUuid(page, VOLUME, volume);
    page.putLong(FILE_ID, key.fileId());
    page.putInt(GENERATION, key.generation());
    page.putInt(BLOCK_SIZE, layout.blockSize());
    page.putInt(CHUNK_SIZE, layout.chunkSize());
    page.putInt(CRC, ChunkChecksums.crc(page.slice(0, CRC)));
    return page;
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
    int crc = ChunkChecksums.crc(found.slice(0, CRC));
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
        : Optional.of("identity: found=" + describe(found) + ", expected=" + describe(encode()));
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

  private static String describe(ByteBuffer page) {
    return "cluster "
        + getUuid(page, CLUSTER)
        + " node "
        + getUuid(page, NODE)
        + " volume "
        + getUuid(page, VOLUME)
        + " file "
        + page.getLong(FILE_ID)
        + "."
        + page.getInt(GENERATION)
        + " role "
        + page.getInt(ROLE)
        + " block "
        + page.getInt(BLOCK_SIZE)
        + " chunk "
        + page.getInt(CHUNK_SIZE);
  }

  private static void putUuid(ByteBuffer page, int offset, UUID uuid) {
    page.putLong(offset, uuid.getMostSignificantBits());
    page.putLong(offset + Long.BYTES, uuid.getLeastSignificantBits());
  }

  private static UUID getUuid(ByteBuffer page, int offset) {
    return new UUID(page.getLong(offset), page.getLong(offset + Long.BYTES));
  }
}

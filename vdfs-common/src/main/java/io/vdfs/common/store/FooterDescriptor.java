package io.vdfs.common.store;

/**
 * Layout of a {@link BlockFooter}. All numbers are big-endian.
 *
 * <p>A footer says by itself whose combined file it belongs to: the contents of the slot are known
 * even without the file's header page, and a slot of another file is never taken for one of this
 * file.
 *
 * <pre>
 *   0  magic         4   "VDFF"
 *   4  version       4   3
 *   8  identity     72   as in the header of the file, see {@link IdentityDescriptor}
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
public final class FooterDescriptor {
  public static final int VERSION = 3;

  static final int MAGIC_VALUE = 0x56444646;
  static final int MAGIC = 0;
  static final int FORMAT_VERSION = MAGIC + Integer.BYTES;
  static final int IDENTITY = FORMAT_VERSION + Integer.BYTES;
  static final int SLOT = IDENTITY + IdentityDescriptor.SIZE;
  static final int BLOCK = SLOT + Integer.BYTES;
  static final int WRITE_EPOCH = BLOCK + Long.BYTES;
  static final int FENCE = WRITE_EPOCH + Long.BYTES;
  static final int SEQUENCE = FENCE + Long.BYTES;
  static final int LENGTH = SEQUENCE + Long.BYTES;
  static final int SYNCED_LENGTH = LENGTH + Integer.BYTES;
  static final int CHUNKS = SYNCED_LENGTH + Integer.BYTES;
  static final int CHECKSUMS = CHUNKS + Integer.BYTES;

  private FooterDescriptor() {}

  /** Bytes of a footer of {@code chunks} chunks. */
  public static int size(int chunks) {
    return CHECKSUMS + chunks * Integer.BYTES + Integer.BYTES;
  }
}

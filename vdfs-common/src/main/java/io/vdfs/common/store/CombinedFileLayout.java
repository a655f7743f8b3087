package io.vdfs.common.store;

import io.vdfs.common.model.ClusterGeometry;

/**
 * Where things lie in a combined file. Slots follow one another in arrival order, so that a file
 * written front to back is read front to back. Footers stand before their data, and so next to them
 * on the disk however short the block is. Immutable.
 *
 * <pre>
 *   0        +----------------------------+
 *            | header ({@link CombinedFileHeader})  4 KiB
 *   4096     +----------------------------+  footerOffset(0, 0)
 *            | slot 0: footer copy A ({@link FooterDescriptor})  footerSize, a multiple of 512
 *            +----------------------------+  footerOffset(0, 1)
 *            | footer copy B                 footerSize
 *            +- - - - - - - - - - - - - - +
 *            | unused, up to a multiple of 4 KiB from copy A
 *            +----------------------------+  dataOffset(0)
 *            | block data                    blockSize bytes, sparse where nothing was written
 *            +----------------------------+  footerOffset(1, 0)
 *            | slot 1 ...
 * </pre>
 *
 * @param blockSize bytes of a block
 * @param chunkSize bytes covered by one checksum
 */
public record CombinedFileLayout(int blockSize, int chunkSize) {
  /** Number of footer copies of a slot. */
  public static final int FOOTER_COPIES = 2;

  private static final int SECTOR = 512;
  private static final int PAGE = 4096;

  /** Bytes of the header. */
  static final int HEADER_SIZE = PAGE;

  public static CombinedFileLayout of(ClusterGeometry geometry) {
    return new CombinedFileLayout(geometry.blockSize(), geometry.chunkSize());
  }

  /** Chunks of a whole block. */
  public int chunksPerBlock() {
    return blockSize / chunkSize;
  }

  /** Bytes set aside for one footer copy. */
  public int footerSize() {
    return roundUp(FooterDescriptor.size(chunksPerBlock()), SECTOR);
  }

  /** Bytes set aside for both footer copies. */
  public int footerAreaSize() {
    return roundUp(FOOTER_COPIES * footerSize(), PAGE);
  }

  /** Bytes from the start of one slot to the start of the next. */
  public long slotSize() {
    return (long) blockSize + footerAreaSize();
  }

  /** Offset of the first data byte of {@code slot}. */
  public long dataOffset(int slot) {
    return slotOffset(slot) + footerAreaSize();
  }

  /** Offset of footer copy {@code copy} (0 or 1) of {@code slot}. */
  public long footerOffset(int slot, int copy) {
    return slotOffset(slot) + (long) copy * footerSize();
  }

  private long slotOffset(int slot) {
    return HEADER_SIZE + slot * slotSize();
  }

  /** Number of slots that a file of {@code fileSize} bytes has begun. */
  public int slotCount(long fileSize) {
    long slots = (fileSize - HEADER_SIZE + slotSize() - 1) / slotSize();
    return Math.toIntExact(Math.max(0, slots));
  }

  private static int roundUp(int value, int unit) {
    return (value + unit - 1) / unit * unit;
  }
}

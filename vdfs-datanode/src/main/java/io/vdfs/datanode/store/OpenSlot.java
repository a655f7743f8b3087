package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.ChunkChecksums;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.index.BlockEntry;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A slot whose block grows, or is complete but not yet known to be on stable storage. Guarded by
 * the lock of the stored file.
 *
 * <p>Footers go to the two copies in turn, but never over the one that the last force made durable:
 * whatever a power cut leaves of later footers and bytes, that one still fits its bytes, since
 * bytes are only ever added behind it.
 */
final class OpenSlot {
  private static final int NONE = -1;

  private final CombinedFile part;
  private final int slot;
  private final long block;
  private final int[] checksums;
  private long epoch;
  private long sequence;
  private int length;
  private int lastCopy = NONE;
  private int syncedCopy = NONE;
  private int syncedLength;
  private long syncedSequence = NONE;
  private boolean footerStale;
  private boolean finished;

  /**
   * A new slot.
   *
   * @param sequence of the last footer that the block had elsewhere, 0 for none
   */
  OpenSlot(CombinedFile part, int slot, long block, long epoch, long sequence) {
    this.part = part;
    this.slot = slot;
    this.block = block;
    this.epoch = epoch;
    this.sequence = sequence;
    this.checksums = new int[part.layout().chunksPerBlock()];
  }

  /**
   * A slot with what is durable in it.
   *
   * @param copy which of its footer copies {@code footer} stands in
   */
  static OpenSlot of(CombinedFile part, BlockFooter footer, int copy) {
    OpenSlot slot =
        new OpenSlot(part, footer.slot(), footer.block(), footer.writeEpoch(), footer.sequence());
    slot.setChecksums(0, footer.checksums());
    slot.length = footer.length();
    slot.lastCopy = copy;
    slot.syncedCopy = copy;
    slot.syncedLength = footer.length();
    slot.syncedSequence = footer.sequence();
    return slot;
  }

  /** What a force that begins now will have made durable. */
  record Mark(OpenSlot slot, long sequence, int copy, int length) {}

  int slot() {
    return slot;
  }

  long block() {
    return block;
  }

  int length() {
    return length;
  }

  /** Whether nothing more is going to be written, until {@link #reopen}. */
  boolean isFinished() {
    return finished;
  }

  /** Whether nothing is left to be made durable. */
  boolean isSettled() {
    boolean empty = lastCopy == NONE && length == 0;
    return finished && (empty || (!footerStale && !needsForce()));
  }

  /** The last footer written, if one was. */
  Optional<BlockFooter> lastFooter() {
    return lastCopy == NONE ? Optional.empty() : Optional.of(footer(sequence));
  }

  /** Takes further bytes or footers of a writer of {@code newEpoch}. */
  void reopen(long newEpoch) {
    finished = false;
    if (newEpoch != epoch) {
      epoch = newEpoch;
      footerStale = true;
    }
  }

  /**
   * Adds bytes behind those there are. They count when this returns.
   *
   * @param data the bytes, to be read up
   * @param firstChunk chunk of the block where the added bytes begin
   * @param added checksums from that chunk on, as of all its bytes now there
   */
  void extend(ByteBuffer data, int firstChunk, ChunkChecksums added) throws VdfsException {
    int newLength = length + data.remaining();
    part.claim(data.remaining());
    part.write(data, part.layout().dataOffset(slot) + length);
    setChecksums(firstChunk, added);
    length = newLength;
    footerStale = true;
  }

  private void setChecksums(int firstChunk, ChunkChecksums added) {
    for (int chunk = 0; chunk < added.count(); chunk++) {
      checksums[firstChunk + chunk] = added.get(chunk);
    }
  }

  /** Returns when the bytes there are on stable storage. */
  void forceBytes() throws VdfsException {
    part.forceBytes();
    syncedLength = length;
  }

  /** Says that the block is gone as of {@code newEpoch}. */
  void clear(long newEpoch) {
    epoch = newEpoch;
    length = 0;
    syncedLength = 0;
    footerStale = true;
  }

  /** Writes a footer if there is something new to say. */
  void writeFooter() throws VdfsException {
    if (!footerStale) {
      return;
    }
    int copy = nextCopy();
    BlockFooter footer = footer(sequence + 1);
    part.write(footer.encode(), part.layout().footerOffset(slot, copy));
    sequence++;
    lastCopy = copy;
    footerStale = false;
  }

  /** Writes the last footer, for now. */
  void finish() throws VdfsException {
    writeFooter();
    finished = true;
  }

  /** Ends the slot as it is: bytes without a footer are lost with the process. */
  void abandon() {
    finished = true;
  }

  private int nextCopy() {
    if (syncedCopy != NONE) {
      return CombinedFileLayout.FOOTER_COPIES - 1 - syncedCopy;
    }
    return lastCopy == NONE ? 0 : CombinedFileLayout.FOOTER_COPIES - 1 - lastCopy;
  }

  private BlockFooter footer(long footerSequence) {
    return new BlockFooter(
        part.key(), slot, block, epoch, footerSequence, length, syncedLength, chunks());
  }

  private ChunkChecksums chunks() {
    return ChunkChecksums.of(checksums)
        .range(0, ChunkChecksums.countFor(length, part.layout().chunkSize()));
  }

  /** The index entry as of now. */
  BlockEntry entry() {
    return new BlockEntry(
        part.volume().number(), part.role(), slot, length, epoch, sequence, chunks());
  }

  /** Whether a force would make more durable than is known to be. */
  boolean needsForce() {
    return lastCopy != NONE && syncedSequence != sequence;
  }

  Mark mark() {
    return new Mark(this, sequence, lastCopy, length);
  }

  /** A force that began at the mark came through. */
  void onForced(Mark mark) {
    if (mark.length() <= length) {
      syncedLength = Math.max(syncedLength, mark.length());
    }
    // a footer written while the force ran may have torn the copy that was meant
    if (mark.sequence() == sequence && mark.copy() == lastCopy) {
      syncedCopy = mark.copy();
      syncedSequence = mark.sequence();
    }
  }
}

package io.vdfs.datanode.store.file;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.index.BlockEntry;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A slot whose block grows, or is complete but not yet known to be on stable storage. Guarded by
 * the guard of the stored file.
 *
 * <p>Footers go to the two copies in turn, but never over the one that the last force made durable:
 * no matter what a power cut leaves of later footers and bytes, that one still fits its bytes,
 * since bytes are only ever added behind it.
 */
public final class OpenSlot {
  private static final int NONE = -1;

  private final FilePair files;
  private final int slot;
  private final long block;
  private final int[] checksums;
  private long epoch;
  private long fence;
  private long sequence;
  private int length;
  private int lastCopy = NONE;
  private int syncedCopy = NONE;
  private int syncedLength;
  private long syncedSequence = NONE;
  private Optional<BlockFooter> written = Optional.empty();
  private boolean footerStale;
  private int cuts;
  private boolean finished;

  /**
   * A new slot.
   *
   * @param sequence of the last footer that the block had elsewhere, 0 for none
   */
  OpenSlot(FilePair files, int slot, long block, long epoch, long sequence) {
    this.files = files;
    this.slot = slot;
    this.block = block;
    this.epoch = epoch;
    this.sequence = sequence;
    this.checksums = new int[files.layout().chunksPerBlock()];
  }

  /**
   * A slot with what is durable in it.
   *
   * @param copy which of its footer copies {@code footer} stands in
   */
  static OpenSlot of(FilePair files, BlockFooter footer, int copy) {
    OpenSlot slot =
        new OpenSlot(files, footer.slot(), footer.block(), footer.writeEpoch(), footer.sequence());
    slot.setChecksums(0, footer.checksums());
    slot.fence = footer.fence();
    slot.length = footer.length();
    slot.written = Optional.of(footer);
    slot.lastCopy = copy;
    slot.syncedCopy = copy;
    slot.syncedLength = footer.length();
    slot.syncedSequence = footer.sequence();
    return slot;
  }

  /**
   * What a force that begins now will have made durable.
   *
   * @param cuts how often the slot had lost bytes by then
   */
  record Mark(OpenSlot slot, long sequence, int copy, int length, int cuts) {}

  int slot() {
    return slot;
  }

  public long block() {
    return block;
  }

  public int length() {
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

  /** Whether bytes here lack a footer that no writer is going to write. */
  boolean lacksFooter() {
    return finished && footerStale && !isSettled();
  }

  /** The last footer written, if one was. */
  public Optional<BlockFooter> lastFooter() {
    return written;
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
   * @param from where in the block the bytes begin, which is where those there are end
   * @param data the bytes, all of which are read
   * @param added checksums from the chunk of {@code from} on, as of all its bytes now there
   * @throws VdfsException INTERNAL, with nothing written, if they do not begin there or would leave
   *     the slot
   */
  public void extend(int from, ByteBuffer data, ChunkChecksums added) throws VdfsException {
    long newLength = (long) from + data.remaining();
    if (from != length || newLength > files.layout().blockSize()) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          ("bytes do not go here: file=%s, slot=%s, block=%s, held=%s, from=%s, to=%s,"
                  + " blockSize=%s")
              .formatted(
                  files.path(), slot, block, length, from, newLength, files.layout().blockSize()));
    }
    files.claim(data.remaining());
    files.write(data, files.layout().dataOffset(slot) + length);
    setChecksums(from / files.layout().chunkSize(), added);
    length = (int) newLength;
    footerStale = true;
  }

  private void setChecksums(int firstChunk, ChunkChecksums added) {
    for (int chunk = 0; chunk < added.count(); chunk++) {
      checksums[firstChunk + chunk] = added.get(chunk);
    }
  }

  /** Returns when the bytes there are on stable storage. */
  public void forceBytes() throws VdfsException {
    files.forceBytes();
    syncedLength = length;
  }

  /** Says that the block is gone as of {@code newEpoch}. */
  public void clear(long newEpoch) {
    epoch = newEpoch;
    length = 0;
    syncedLength = 0;
    cuts++;
    footerStale = true;
  }

  /** Has the next footer say that lower epochs no longer write the block's group. */
  public void raiseFence(long lowest) {
    if (fence < lowest) {
      fence = lowest;
      footerStale = true;
    }
  }

  /** Writes a footer if there is something new to say. */
  public void writeFooter() throws VdfsException {
    if (!footerStale) {
      return;
    }
    int copy = nextCopy();
    BlockFooter footer = footer(sequence + 1);
    files.write(footer.encode(files.header()), files.layout().footerOffset(slot, copy));
    written = Optional.of(footer);
    sequence++;
    lastCopy = copy;
    footerStale = false;
  }

  /** Writes the last footer, for now. */
  public void finish() throws VdfsException {
    writeFooter();
    finished = true;
  }

  /**
   * Ends the slot where a step failed: what counts of it is what readers see. They may see bytes
   * that no footer tells of, which {@link #lacksFooter} then says.
   *
   * @param visible the entry of the block; empty if it does not lie in this slot
   */
  public void restore(Optional<BlockEntry> visible) {
    int visibleLength = visible.map(BlockEntry::length).orElse(0);
    if (visibleLength < length) {
      cuts++;
    }
    length = visibleLength;
    syncedLength = Math.min(syncedLength, length);
    fence = writtenFence();
    visible.ifPresent(
        entry -> {
          epoch = entry.writeEpoch();
          setChecksums(0, entry.checksums());
        });
    footerStale = !isWritten();
    finished = true;
  }

  /** Takes what the last footer says for all there is: the bytes that lack one are given up. */
  public void giveUpUnwritten() {
    int writtenLength = written.map(BlockFooter::length).orElse(0);
    if (writtenLength < length) {
      cuts++;
    }
    length = writtenLength;
    syncedLength = Math.min(syncedLength, length);
    fence = writtenFence();
    written.ifPresent(
        footer -> {
          epoch = footer.writeEpoch();
          setChecksums(0, footer.checksums());
        });
    footerStale = false;
  }

  /** Another slot has the block now: nothing here needs to be told. */
  void retire() {
    if (written.isEmpty()) {
      length = 0;
    }
    cuts++;
    footerStale = false;
    finished = true;
  }

  private long writtenFence() {
    return written.map(BlockFooter::fence).orElse(0L);
  }

  private boolean isWritten() {
    return written
        .map(
            footer ->
                footer.length() == length
                    && footer.writeEpoch() == epoch
                    && footer.checksums().equals(chunks()))
        .orElse(length == 0);
  }

  private int nextCopy() {
    if (syncedCopy != NONE) {
      return CombinedFileLayout.FOOTER_COPIES - 1 - syncedCopy;
    }
    return lastCopy == NONE ? 0 : CombinedFileLayout.FOOTER_COPIES - 1 - lastCopy;
  }

  private BlockFooter footer(long footerSequence) {
    return new BlockFooter(
        slot, block, epoch, fence, footerSequence, length, syncedLength, chunks());
  }

  private ChunkChecksums chunks() {
    return ChunkChecksums.of(checksums)
        .range(0, ChunkChecksums.countFor(length, files.layout().chunkSize()));
  }

  /** Whether it is this slot that an entry of the block tells of. */
  public boolean holds(BlockEntry found) {
    return found.slot() == slot
        && found.role() == files.role()
        && found.volume() == files.volume().number();
  }

  /** The index entry as of now. */
  public BlockEntry entry() {
    return new BlockEntry(
        files.volume().number(), files.role(), slot, length, epoch, sequence, chunks());
  }

  /** Whether a force would make more durable than is known to be. */
  boolean needsForce() {
    return lastCopy != NONE && syncedSequence != sequence;
  }

  Mark mark() {
    return new Mark(this, sequence, lastCopy, length, cuts);
  }

  /** A force that began at the mark came through. */
  void onForced(Mark mark) {
    // bytes may have been given up since, and others put in their place
    if (mark.cuts() == cuts) {
      syncedLength = Math.max(syncedLength, mark.length());
    }
    // a footer written while the force ran may have torn the copy that was meant
    if (mark.sequence() == sequence && mark.copy() == lastCopy) {
      syncedCopy = mark.copy();
      syncedSequence = mark.sequence();
    }
  }
}

package io.vdfs.datanode.store.group;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.OpenSlot;
import io.vdfs.datanode.store.index.BlockEntry;
import java.util.Optional;

/**
 * A copy in a slot of its own, beside the one that the block has. Its footer is written when all
 * its bytes are on stable storage, and outranks the other slot's. A writer of the group that comes
 * meanwhile ends the copy: what it found there, and what it adds, stays. All steps take the guard
 * of the stored file.
 */
final class SlotCopy implements BlockCopy {
  private final StoredFile file;
  private final CombinedFile combined;
  private final int group;
  private final long epoch;
  private final OpenSlot slot;
  private final Optional<BlockEntry> found;
  private boolean over;

  private SlotCopy(
      StoredFile file,
      CombinedFile combined,
      int group,
      long epoch,
      OpenSlot slot,
      Optional<BlockEntry> found) {
    this.file = file;
    this.combined = combined;
    this.group = group;
    this.epoch = epoch;
    this.slot = slot;
    this.found = found;
  }

  /**
   * With the guard held.
   *
   * @throws VdfsException LEASE_CONFLICT if a copy of the block is being made
   */
  static SlotCopy open(StoredFile file, CombinedFile combined, int group, long block, long epoch)
      throws VdfsException {
    if (file.copyOf(block).isPresent()) {
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT,
          "a copy of the block is being made: file=" + file.key() + ", block=" + block);
    }
    OpenSlot slot = combined.newSlot(block, epoch, file.lastSequence(block));
    SlotCopy copy = new SlotCopy(file, combined, group, epoch, slot, file.lastEntry(block));
    file.beginCopy(block, copy);
    return copy;
  }

  @Override
  public void append(VerifiedChunks data) throws VdfsException {
    file.guard()
        .run(
            () -> {
              check();
              slot.extend(slot.length(), data.data(), data.checksums());
            });
  }

  @Override
  public void finish() throws VdfsException {
    file.guard().run(this::finishGuarded);
  }

  private void finishGuarded() throws VdfsException {
    check();
    Optional<BlockEntry> before = file.block(slot.block());
    slot.forceBytes();
    file.finish(slot);
    over = true;
    file.endCopy(slot.block(), this);
    if (before.isPresent()) {
      file.combinedFileOf(before.get()).retire(before.get().slot());
    }
  }

  private void check() throws VdfsException {
    if (over) {
      throw new IllegalStateException("the copy is over: block=" + slot.block());
    }
    if (file.isDeleted()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND, "the file was deleted meanwhile: file=" + file.key());
    }
    file.checkEpoch(group, epoch);
    checkNotOvertaken();
    combined.files().checkHealthy();
  }

  private void checkNotOvertaken() throws VdfsException {
    if (file.copyOf(slot.block()).filter(copy -> copy == this).isEmpty()) {
      throw overtaken("the group had a writer since the copy began");
    }
    if (!isAsFound()) {
      throw overtaken("the block was changed since the copy began");
    }
  }

  /**
   * Whether the block was not changed in the copy's epoch. Bytes of an earlier epoch may have got a
   * footer meanwhile, or have been given up as they lack one: the copy outranks them all the same.
   */
  private boolean isAsFound() {
    Optional<BlockEntry> there = file.lastEntry(slot.block());
    return there.equals(found) || there.filter(entry -> entry.writeEpoch() < epoch).isPresent();
  }

  private VdfsException overtaken(String what) {
    return new VdfsException(
        ErrorCode.LEASE_CONFLICT,
        what + ": file=" + file.key() + ", block=" + slot.block() + ", epoch=" + epoch);
  }

  @Override
  public void close() {
    file.guard().run(this::closeGuarded);
  }

  private void closeGuarded() {
    if (over) {
      return;
    }
    over = true;
    file.endCopy(slot.block(), this);
    if (slot.lastFooter().isPresent()) {
      combined
          .files()
          .markSuspect(
              "a block was copied on disk and not in the index: file=" + combined.files().path());
    }
    file.restore(slot);
  }
}

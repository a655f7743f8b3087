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
 * its bytes are on stable storage, and outranks the other slot's. All steps take the guard of the
 * stored file.
 */
final class SlotCopy implements BlockCopy {
  private final StoredFile file;
  private final CombinedFile combined;
  private final int group;
  private final long epoch;
  private final OpenSlot slot;
  private boolean over;

  private SlotCopy(StoredFile file, CombinedFile combined, int group, long epoch, OpenSlot slot) {
    this.file = file;
    this.combined = combined;
    this.group = group;
    this.epoch = epoch;
    this.slot = slot;
  }

  /**
   * With the guard held.
   *
   * @throws VdfsException LEASE_CONFLICT if a copy of the block is being made
   */
  static SlotCopy open(StoredFile file, CombinedFile combined, int group, long block, long epoch)
      throws VdfsException {
    if (!file.beginCopy(block)) {
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT,
          "a copy of the block is being made: file=" + file.key() + ", block=" + block);
    }
    boolean opened = false;
    try {
      OpenSlot slot = combined.newSlot(block, epoch, file.lastSequence(block));
      opened = true;
      return new SlotCopy(file, combined, group, epoch, slot);
    } finally {
      if (!opened) {
        file.endCopy(block);
      }
    }
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
    file.endCopy(slot.block());
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
    combined.files().checkHealthy();
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
    file.endCopy(slot.block());
    if (slot.lastFooter().isPresent()) {
      combined
          .files()
          .markSuspect(
              "a block was copied on disk and not in the index: file=" + combined.files().path());
    }
    file.restore(slot);
  }
}

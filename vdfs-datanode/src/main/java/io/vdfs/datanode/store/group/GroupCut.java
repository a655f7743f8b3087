package io.vdfs.datanode.store.group;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.file.BlockVerifier;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.OpenSlot;
import io.vdfs.datanode.store.index.BlockEntry;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Shortens a group without touching bytes in place: blocks behind the new end get a footer of
 * length 0, and what stays of the block that is cut is copied to a new slot. A crash in between
 * leaves more of the same bytes, possibly with blocks behind a gap, which the next writer drops.
 * The cut is durable before anything can be written behind it, or else a power cut could leave an
 * old block followed by a new one. Confined to one step in the guard of the stored file.
 */
final class GroupCut {
  private final StoredFile file;
  private final int group;
  private final long epoch;
  private final Set<CombinedFile> touched = new LinkedHashSet<>();

  GroupCut(StoredFile file, int group, long epoch) {
    this.file = file;
    this.group = group;
    this.epoch = epoch;
  }

  /**
   * Cuts the group, durably if there is anything to cut.
   *
   * @param length bytes of the group to keep, at most what is held
   */
  void cutTo(long length) throws VdfsException {
    int blockSize = file.geometry().blockSize();
    long first = file.firstBlock(group);
    long whole = length / blockSize;
    int rest = (int) (length % blockSize);
    long firstGone = rest == 0 ? whole : whole + 1;
    for (long at = file.geometry().groupBlocks() - 1L; at >= firstGone; at--) {
      Optional<BlockEntry> entry = file.block(first + at);
      if (entry.isPresent()) {
        drop(entry.get());
      }
    }
    if (rest > 0) {
      BlockEntry entry = held(first + whole);
      if (entry.length() > rest) {
        copyHead(entry, first + whole, rest);
      }
    }
    for (CombinedFile combined : touched) {
      combined.files().forceBytes();
    }
  }

  /** Makes the last block held say that it is of this epoch, if it does not. */
  void adoptLast(long length) throws VdfsException {
    if (length == 0) {
      return;
    }
    long block = file.firstBlock(group) + (length - 1) / file.geometry().blockSize();
    BlockEntry entry = held(block);
    if (entry.writeEpoch() < epoch) {
      finish(healthyCombinedFile(entry).reopen(entry, epoch));
    }
  }

  private void drop(BlockEntry entry) throws VdfsException {
    OpenSlot slot = healthyCombinedFile(entry).reopen(entry, epoch);
    slot.clear(epoch);
    finish(slot);
  }

  private void finish(OpenSlot slot) throws VdfsException {
    boolean finished = false;
    try {
      file.finish(slot);
      finished = true;
    } finally {
      if (!finished) {
        file.restore(slot);
      }
    }
  }

  private void copyHead(BlockEntry entry, long block, int length) throws VdfsException {
    CombinedFile combined = healthyCombinedFile(entry);
    int chunkSize = file.geometry().chunkSize();
    int whole = Math.min(entry.length(), ChunkChecksums.countFor(length, chunkSize) * chunkSize);
    // all of it, before anything is written
    verifyHead(entry, block, whole, (offset, data) -> {});
    OpenSlot slot = combined.newSlot(block, epoch, entry.sequence());
    boolean copied = false;
    try {
      verifyHead(
          entry,
          block,
          whole,
          (offset, data) -> {
            data.limit(Math.min(data.limit(), length - offset));
            ChunkChecksums checksums = ChunkChecksums.compute(data, chunkSize);
            slot.extend(offset, data, checksums);
          });
      // its footer will outrank that of the old slot: the bytes must be there before it
      slot.forceBytes();
      file.finish(slot);
      combined.retire(entry.slot());
      copied = true;
    } finally {
      if (!copied) {
        giveUp(slot, combined);
      }
    }
  }

  private void giveUp(OpenSlot slot, CombinedFile combined) {
    if (slot.lastFooter().isPresent()) {
      combined
          .files()
          .markSuspect(
              "a block was cut on disk and not in the index: file=" + combined.files().path());
    }
    file.restore(slot);
  }

  private void verifyHead(BlockEntry entry, long block, int length, BlockVerifier.Sink sink)
      throws VdfsException {
    CombinedFile combined = file.combinedFileOf(entry);
    int verified = new BlockVerifier(combined.files(), entry, file.counters()).verify(length, sink);
    if (verified < length) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "block to be cut differs from its checksums: path="
              + combined.files().path()
              + ", block="
              + block
              + ", slot="
              + entry.slot()
              + ", chunk="
              + verified / file.geometry().chunkSize());
    }
  }

  private BlockEntry held(long block) throws VdfsException {
    return file.block(block)
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.INTERNAL,
                    "block is not held: file=" + file.key() + ", block=" + block));
  }

  private CombinedFile healthyCombinedFile(BlockEntry entry) throws VdfsException {
    CombinedFile combined = file.combinedFileOf(entry);
    combined.files().checkHealthy();
    touched.add(combined);
    return combined;
  }
}

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
 * old block followed by a new one.
 *
 * <p>For a block on a suspect volume the footer of length 0 is written where the group has other
 * blocks, and for one whose footers are damaged in a new slot; at the next start it outranks what
 * the old slot still says. Confined to one step in the guard of the stored file.
 */
final class GroupCut {
  private static final BlockVerifier.Sink NOTHING = (offset, data) -> {};

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
    Optional<BlockEntry> toShorten =
        rest == 0
            ? Optional.empty()
            : Optional.of(held(first + whole)).filter(entry -> entry.length() > rest);
    if (toShorten.isPresent()) {
      // all of it, before anything is dropped or written
      healthyCombinedFile(toShorten.get());
      verifyHead(toShorten.get(), first + whole, wholeChunks(toShorten.get(), rest), NOTHING);
    }
    for (long at = file.geometry().groupBlocks() - 1L; at >= firstGone; at--) {
      Optional<BlockEntry> entry = file.block(first + at);
      if (entry.isPresent()) {
        drop(first + at, entry.get());
      }
    }
    if (toShorten.isPresent()) {
      copyHead(toShorten.get(), first + whole, rest);
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
      finish(healthyCombinedFile(entry).reopen(block, entry, epoch));
    }
  }

  private void drop(long block, BlockEntry entry) throws VdfsException {
    CombinedFile combined = file.combinedFileOf(entry);
    Optional<CombinedFile> elsewhere =
        combined.files().isSuspect() ? file.healthyPartOf(group) : Optional.empty();
    if (elsewhere.isPresent()) {
      dropFrom(combined, block, entry, elsewhere.get());
    } else {
      dropInPlace(block, entry);
    }
  }

  private void dropFrom(CombinedFile combined, long block, BlockEntry entry, CombinedFile elsewhere)
      throws VdfsException {
    touched.add(elsewhere);
    OpenSlot slot = elsewhere.newSlot(block, epoch, entry.sequence());
    slot.clear(epoch);
    boolean dropped = false;
    try {
      file.finish(slot);
      combined.retire(entry.slot());
      dropped = true;
    } finally {
      if (!dropped) {
        giveUp(slot, elsewhere);
      }
    }
  }

  private void dropInPlace(long block, BlockEntry entry) throws VdfsException {
    CombinedFile combined = healthyCombinedFile(entry);
    OpenSlot slot;
    try {
      slot = combined.reopen(block, entry, epoch);
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.CORRUPT) {
        throw e;
      }
      // footers that cannot be read cannot be outranked in their own slot
      dropFrom(combined, block, entry, combined);
      return;
    }
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
    OpenSlot slot = combined.newSlot(block, epoch, entry.sequence());
    boolean copied = false;
    try {
      verifyHead(
          entry,
          block,
          wholeChunks(entry, length),
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

  /** Length up to the end of the chunk in which {@code length} lies. */
  private int wholeChunks(BlockEntry entry, int length) {
    int chunkSize = file.geometry().chunkSize();
    return Math.min(entry.length(), ChunkChecksums.countFor(length, chunkSize) * chunkSize);
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
          "block to be cut differs from its checksums: path=%s, block=%s, slot=%s, chunk=%s"
              .formatted(
                  combined.files().path(),
                  block,
                  entry.slot(),
                  verified / file.geometry().chunkSize()));
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

package io.vdfs.datanode.store.load;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds out what counts in a slot of which no index record says that it is durable. Confined to the
 * thread that loads the file.
 *
 * <p>The footer with the highest sequence whose bytes all verify counts. If no footer's bytes do,
 * the one with the longest sound beginning is cut to that; but damage in bytes that were once
 * forced was not done by a crash, and then the block keeps its length, so that a reader meets the
 * damage. What counts is written again, for a force that failed before may have left it in memory
 * only.
 *
 * <p>Where a footer or bytes cannot be read, what counts of the rest is served as it is and nothing
 * is written: the next start may read more.
 */
final class SlotRecovery {
  private final DiskFile file;
  private final CombinedFileHeader header;
  private final CombinedFileLayout layout;
  private final int slot;
  private final List<Candidate> candidates = new ArrayList<>();
  private Optional<String> damage = Optional.empty();
  private boolean unread;

  SlotRecovery(DiskFile file, CombinedFileHeader header, int slot) {
    this.file = file;
    this.header = header;
    this.layout = header.layout();
    this.slot = slot;
  }

  private record Candidate(int copy, BlockFooter footer) {
    private long sequence() {
      return footer.sequence();
    }
  }

  /**
   * What counts in a slot.
   *
   * @param footer empty if nothing does
   * @param damage what is wrong, if anything is
   * @param certain false if the next start must look again
   */
  record Outcome(Optional<BlockFooter> footer, Optional<String> damage, boolean certain) {}

  /**
   * @param hint footer that a damaged index file has for the slot
   */
  Outcome recover(Optional<BlockFooter> hint) throws IOException {
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      readCopy(copy);
    }
    candidates.sort(Comparator.comparingLong(Candidate::sequence).reversed());
    if (hint.isPresent() && (candidates.isEmpty() || !isOlder(hint.get()))) {
      return new Outcome(hint, damage, !unread);
    }
    if (candidates.isEmpty()) {
      return new Outcome(Optional.empty(), damage, !unread);
    }
    return choose();
  }

  private boolean isOlder(BlockFooter hint) {
    return hint.sequence() < candidates.get(0).sequence();
  }

  /** Whether footers stand in the slot, so that it must not be used again. */
  boolean isUsed() {
    return !candidates.isEmpty() || damage.isPresent();
  }

  private void readCopy(int copy) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(layout.footerSize());
    try {
      DiskTransfer.readUpTo(file, bytes, layout.footerOffset(slot, copy));
    } catch (IOException e) {
      noteUnread("footer cannot be read: copy=" + copy, e);
      return;
    }
    bytes.flip();
    if (isZero(bytes)) {
      return;
    }
    Optional<String> problem = BlockFooter.problemWith(bytes, header);
    if (problem.isPresent()) {
      note(problem.get() + ", copy=" + copy);
      return;
    }
    BlockFooter footer = BlockFooter.decode(bytes, header);
    if (footer.slot() == slot) {
      candidates.add(new Candidate(copy, footer));
    } else {
      note("footer of another place: found slot=" + footer.slot() + ", copy=" + copy);
    }
  }

  private void noteUnread(String what, IOException cause) {
    note(what + ", cause=" + cause.getMessage());
    unread = true;
  }

  private void note(String what) {
    damage = Optional.of(damage.map(before -> before + "; " + what).orElse(what));
  }

  private static boolean isZero(ByteBuffer bytes) {
    for (int at = bytes.position(); at < bytes.limit(); at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private Outcome choose() throws IOException {
    Candidate best = candidates.get(0);
    int bestLength = -1;
    for (Candidate candidate : candidates) {
      int verified = verifiedLength(candidate.footer());
      if (unread && verified == candidate.footer().length()) {
        return asItIs(candidate);
      }
      if (verified == candidate.footer().length()) {
        return new Outcome(Optional.of(keep(candidate, verified, verified)), damage, true);
      }
      if (verified > bestLength) {
        best = candidate;
        bestLength = verified;
      }
    }
    if (unread) {
      return asItIs(best);
    }
    note("bytes differ from their checksums from offset=" + bestLength);
    boolean rotten = bestLength < best.footer().syncedLength();
    int length = rotten ? best.footer().length() : bestLength;
    return new Outcome(Optional.of(keep(best, bestLength, length)), damage, true);
  }

  private Outcome asItIs(Candidate candidate) {
    return new Outcome(Optional.of(candidate.footer()), damage, false);
  }

  private int verifiedLength(BlockFooter footer) {
    for (int chunk = 0; chunk < footer.checksums().count(); chunk++) {
      if (!verifies(footer, chunk)) {
        return chunk * layout.chunkSize();
      }
    }
    return footer.length();
  }

  private boolean verifies(BlockFooter footer, int chunk) {
    try {
      Optional<ByteBuffer> bytes = chunk(footer, chunk);
      return bytes.isPresent() && Crc32c.of(bytes.get()) == footer.checksums().get(chunk);
    } catch (IOException e) {
      noteUnread("bytes cannot be read: chunk=" + chunk, e);
      return false;
    }
  }

  private Optional<ByteBuffer> chunk(BlockFooter footer, int chunk) throws IOException {
    int from = chunk * layout.chunkSize();
    ByteBuffer bytes = ByteBuffer.allocate(Math.min(layout.chunkSize(), footer.length() - from));
    boolean whole = DiskTransfer.readUpTo(file, bytes, layout.dataOffset(slot) + from);
    return whole ? Optional.of(bytes.flip()) : Optional.empty();
  }

  /**
   * Writes again what counts, with a newer footer if the one it has would be outranked or says too
   * much.
   */
  private BlockFooter keep(Candidate chosen, int verified, int length) throws IOException {
    rewriteBytes(chosen.footer(), verified);
    boolean right =
        length == chosen.footer().length() && chosen.sequence() == candidates.get(0).sequence();
    BlockFooter footer = right ? chosen.footer() : shortened(chosen.footer(), length);
    int copy = right ? chosen.copy() : CombinedFileLayout.FOOTER_COPIES - 1 - chosen.copy();
    DiskTransfer.writeFully(file, footer.encode(header), layout.footerOffset(slot, copy));
    return footer;
  }

  private BlockFooter shortened(BlockFooter footer, int length) {
    return new BlockFooter(
        slot,
        footer.block(),
        footer.writeEpoch(),
        footer.fence(),
        candidates.get(0).sequence() + 1,
        length,
        Math.min(length, footer.syncedLength()),
        footer.checksums().range(0, ChunkChecksums.countFor(length, layout.chunkSize())));
  }

  private void rewriteBytes(BlockFooter footer, int length) throws IOException {
    int first = footer.syncedLength() / layout.chunkSize();
    int chunks = ChunkChecksums.countFor(length, layout.chunkSize());
    for (int chunk = first; chunk < chunks; chunk++) {
      Optional<ByteBuffer> bytes = chunk(footer, chunk);
      if (bytes.isEmpty() || Crc32c.of(bytes.get()) != footer.checksums().get(chunk)) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "bytes changed while they were recovered: slot=" + slot + ", chunk=" + chunk);
      }
      DiskTransfer.writeFully(
          file, bytes.get(), layout.dataOffset(slot) + (long) chunk * layout.chunkSize());
    }
  }
}

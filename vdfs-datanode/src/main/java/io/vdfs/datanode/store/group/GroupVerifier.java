package io.vdfs.datanode.store.group;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.file.BlockVerifier;
import io.vdfs.datanode.store.index.BlockEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a group back and sums up what verifies, a few chunks at a time. Takes no lock: the caller
 * has made sure that the group is not being written, or accepts what each block was when it was
 * looked at.
 */
final class GroupVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(GroupVerifier.class);

  private final StoredFile file;
  private final int group;
  private final LeaseBound lease;
  private final NavigableSet<Long> marks;
  private final ReadPace pace;

  /**
   * @param marks lengths of the group; the block in which one ends also gets a checksum of its
   *     bytes up to there
   */
  GroupVerifier(StoredFile file, int group, LeaseBound lease, List<Long> marks, ReadPace pace) {
    this.file = file;
    this.group = group;
    this.lease = lease;
    this.marks = new TreeSet<>(marks);
    this.pace = pace;
  }

  VerifiedGroup verify() throws VdfsException {
    try (ReadBackTurns turns = new ReadBackTurns(pace)) {
      return verify(turns);
    }
  }

  private VerifiedGroup verify(ReadBackTurns turns) throws VdfsException {
    List<VerifiedBlock> blocks = new ArrayList<>();
    int blockSize = file.geometry().blockSize();
    long first = file.firstBlock(group);
    for (long block = first; block < first + file.geometry().groupBlocks(); block++) {
      long start = block * blockSize;
      Optional<BlockEntry> entry = file.block(block);
      int counted =
          entry.map(found -> lease.counted(start, found.length(), found.writeEpoch())).orElse(0);
      if (counted > 0) {
        turns.awaitTurn(file.combinedFileOf(entry.get()).volume().gate(), counted);
        blocks.add(new Pass(entry.get(), counted, marksIn(start - file.groupStart(group))).run());
      }
      if (counted < blockSize) {
        break;
      }
    }
    return new VerifiedGroup(blocks);
  }

  /** Marks within the block that begins at {@code inGroup}, counted from there. */
  private NavigableSet<Integer> marksIn(long inGroup) {
    NavigableSet<Integer> inBlock = new TreeSet<>();
    long end = inGroup + file.geometry().blockSize();
    for (long mark : marks.subSet(inGroup, false, end, true)) {
      inBlock.add((int) (mark - inGroup));
    }
    return inBlock;
  }

  /** One reading of one block. */
  private final class Pass {
    private final BlockEntry entry;
    private final int counted;
    private final NavigableSet<Integer> wanted;
    private final CRC32C crc = new CRC32C();
    private final Map<Integer, Integer> prefixes = new HashMap<>();
    private int summed;

    Pass(BlockEntry entry, int counted, NavigableSet<Integer> wanted) {
      this.entry = entry;
      this.counted = counted;
      this.wanted = wanted;
    }

    VerifiedBlock run() throws VdfsException {
      int chunkSize = file.geometry().chunkSize();
      int whole = ChunkChecksums.countFor(counted, chunkSize) * chunkSize;
      int length = Math.min(entry.length(), whole);
      BlockVerifier verifier =
          new BlockVerifier(file.combinedFileOf(entry).files(), entry, file.counters());
      try {
        verifier.verify(length, (offset, data) -> sumUp(data));
      } catch (VdfsException e) {
        if (e.code() != ErrorCode.IO_ERROR && e.code() != ErrorCode.CORRUPT) {
          throw e;
        }
        // bytes that the disk does not give, or of another file, count as rotten; others stay
        LOG.warn("block cannot be read back: file={}, cause={}", file.key(), e.getMessage());
      }
      return new VerifiedBlock(
          entry.writeEpoch(), counted, summed, (int) crc.getValue(), prefixes, promised());
    }

    private Optional<Integer> promised() {
      if (summed == counted) {
        return Optional.of((int) crc.getValue());
      }
      return counted == entry.length()
          ? Optional.of(entry.checksums().combined(counted, file.geometry().chunkSize()))
          : Optional.empty();
    }

    private void sumUp(ByteBuffer data) {
      int end = Math.min(counted, summed + data.remaining());
      for (int mark : wanted.subSet(summed, false, end, true)) {
        sumTo(data, mark);
        prefixes.put(mark, (int) crc.getValue());
      }
      sumTo(data, end);
    }

    private void sumTo(ByteBuffer data, int end) {
      int bytes = end - summed;
      crc.update(data.slice(data.position(), bytes));
      data.position(data.position() + bytes);
      summed = end;
    }
  }
}

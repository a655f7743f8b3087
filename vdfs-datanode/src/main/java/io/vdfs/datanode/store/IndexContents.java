package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What an index file says. Reading stops trusting footers at the first damage, since a later record
 * may have taken an earlier one back; fences are also salvaged from behind it. Confined to the
 * thread that loads the file.
 */
final class IndexContents {
  private final FileKey key;
  private final CombinedFileLayout layout;
  private final Map<Integer, BlockFooter> settled = new HashMap<>();
  private final Map<Integer, Long> fences = new HashMap<>();
  private Optional<String> problem = Optional.empty();

  private IndexContents(FileKey key, CombinedFileLayout layout) {
    this.key = key;
    this.layout = layout;
  }

  /** The contents of an index file that is not there. */
  static IndexContents missing(FileKey key, CombinedFileLayout layout) {
    IndexContents contents = new IndexContents(key, layout);
    contents.problem = Optional.of("missing");
    return contents;
  }

  /**
   * @param header what the file should begin with
   * @param bytes the whole file
   */
  static IndexContents parse(CombinedFileHeader header, ByteBuffer bytes) {
    IndexContents contents = new IndexContents(header.key(), header.layout());
    contents.problem = header.problemWith(bytes);
    bytes.position(Math.min(bytes.limit(), CombinedFileHeader.SIZE));
    contents.readRecords(bytes);
    return contents;
  }

  private void readRecords(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      Optional<Integer> size = IndexRecord.sizeAt(bytes);
      if (size.isEmpty()) {
        note("no record at offset=" + bytes.position());
        bytes.position(bytes.position() + Math.min(IndexRecord.ALIGNMENT, bytes.remaining()));
      } else {
        readRecord(bytes);
        bytes.position(bytes.position() + size.get());
      }
    }
  }

  private void readRecord(ByteBuffer bytes) {
    try {
      take(IndexRecord.decode(bytes, layout));
    } catch (VdfsException e) {
      note(e.getMessage() + " at offset=" + bytes.position());
    }
  }

  private void take(IndexRecord record) {
    if (record instanceof IndexRecord.Fence fence) {
      fences.merge(fence.group(), fence.epoch(), Math::max);
    } else if (problem.isPresent()) {
      return;
    } else if (record instanceof IndexRecord.Reopened reopened) {
      settled.remove(reopened.slot());
    } else if (record instanceof IndexRecord.Settled found) {
      takeFooter(found.footer());
    }
  }

  private void takeFooter(BlockFooter footer) {
    if (footer.key().equals(key)) {
      settled.put(footer.slot(), footer);
    } else {
      note("footer of another file: found=" + footer.key() + ", expected=" + key);
    }
  }

  private void note(String what) {
    if (problem.isEmpty()) {
      problem = Optional.of(what);
    }
  }

  /** What is wrong with the file; its settled footers are then hints only. */
  Optional<String> problem() {
    return problem;
  }

  /** Footers of blocks on stable storage, by slot. */
  Map<Integer, BlockFooter> settled() {
    return settled;
  }

  /** Highest fence of each group. */
  Map<Integer, Long> fences() {
    return fences;
  }
}

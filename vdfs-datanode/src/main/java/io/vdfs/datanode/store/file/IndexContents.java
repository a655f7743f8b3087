package io.vdfs.datanode.store.file;

import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.DiskFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The contents of an index file. Reading stops trusting footers at the first damage, since a later
 * record may have taken an earlier one back; fences are also salvaged from behind it. Confined to
 * the thread that loads the file.
 */
public final class IndexContents implements IndexReader.Sink {
  private final long size;
  private final Map<Integer, BlockFooter> settled = new HashMap<>();
  private final Map<Integer, Long> fences = new HashMap<>();
  private final Set<Integer> everHeld = new TreeSet<>();
  private Optional<String> problem = Optional.empty();

  private IndexContents(long size) {
    this.size = size;
  }

  /** The contents of an index file that is not there. */
  public static IndexContents missing() {
    IndexContents contents = new IndexContents(0);
    contents.problem = Optional.of("missing");
    return contents;
  }

  /**
   * @param header what the file should begin with
   */
  public static IndexContents read(DiskFile file, CombinedFileHeader header) throws IOException {
    IndexContents contents = new IndexContents(file.size());
    new IndexReader(file, header, contents.size).read(contents);
    return contents;
  }

  @Override
  public void onRecord(IndexRecord record, long offset, int recordSize) {
    if (record instanceof IndexRecord.Fence fence) {
      fences.merge(fence.group(), fence.epoch(), Math::max);
    } else if (record instanceof IndexRecord.Settled found) {
      onSettled(found.footer());
    } else if (problem.isEmpty() && record instanceof IndexRecord.Reopened reopened) {
      settled.remove(reopened.slot());
    }
  }

  private void onSettled(BlockFooter footer) {
    if (footer.length() > 0) {
      everHeld.add(footer.slot());
    } else {
      everHeld.remove(footer.slot());
    }
    if (problem.isEmpty()) {
      settled.put(footer.slot(), footer);
    }
  }

  @Override
  public void onDamage(String what) {
    if (problem.isEmpty()) {
      problem = Optional.of(what);
    }
  }

  /** Size of the file; 0 if it is missing. */
  public long size() {
    return size;
  }

  /** What is wrong with the file; its settled footers are then hints only. */
  public Optional<String> problem() {
    return problem;
  }

  /** Footers of blocks on stable storage, by slot. */
  public Map<Integer, BlockFooter> settled() {
    return settled;
  }

  /** Highest fence of each group. */
  public Map<Integer, Long> fences() {
    return fences;
  }

  /** Whether any record, trusted or not, says that a slot had a block when last heard of. */
  public boolean tellsOfBlocks() {
    return !everHeld.isEmpty();
  }
}

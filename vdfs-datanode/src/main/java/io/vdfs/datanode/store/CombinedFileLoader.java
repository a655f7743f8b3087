package io.vdfs.datanode.store;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Loads one combined file at start: normally from its index file alone, else from the footers in
 * the data file. Afterwards the index file says all that counts. Confined to one thread.
 */
final class CombinedFileLoader {
  private final StoreContext context;
  private final Disk disk;
  private final CombinedFileLayout layout;
  private final Volume volume;
  private final CombinedFileName name;
  private final Path data;
  private final Path indexPath;
  private final List<String> problems = new ArrayList<>();
  private final Map<Integer, BlockFooter> found = new TreeMap<>();
  private final List<Integer> unusable = new ArrayList<>();
  private final List<IndexRecord> recovered = new ArrayList<>();

  CombinedFileLoader(StoreContext context, Volume volume, CombinedFileName name) {
    this.context = context;
    this.disk = context.disk();
    this.layout = context.layout();
    this.volume = volume;
    this.name = name;
    this.data = name.data(volume.directory());
    this.indexPath = name.index(volume.directory());
  }

  /**
   * What became of a combined file.
   *
   * @param part empty if there was nothing in it, or if it cannot be used
   */
  record Loaded(
      Optional<CombinedFile> part,
      List<BlockFooter> footers,
      Map<Integer, Long> fences,
      boolean rebuilt,
      int recovered,
      List<String> problems) {}

  Loaded load() throws VdfsException {
    try {
      return loadOrFail();
    } catch (VdfsException e) {
      return putAside(e);
    } catch (IOException e) {
      // says nothing about the bytes: the file stays, and stays out of use, until the next start
      return without(StoreErrors.of("not loaded", volume.directory(), data, e).getMessage());
    }
  }

  private static Loaded without(String problem) {
    return new Loaded(Optional.empty(), List.of(), Map.of(), false, 0, List.of(problem));
  }

  private Loaded loadOrFail() throws IOException {
    ByteBuffer index = readIndexFile();
    CombinedFile part = new CombinedFile(context, volume, name.key(), name.role(), index.limit());
    IndexContents contents =
        index.hasRemaining()
            ? IndexContents.parse(part.header().withKind(CombinedFileHeader.Kind.INDEX), index)
            : IndexContents.missing(name.key(), layout);
    boolean rebuild = contents.problem().isPresent();
    try (DiskFile file = disk.open(data)) {
      rebuild |= takeSettled(contents, file.size());
      recoverOthers(part, contents, file);
    }
    if (found.isEmpty() && contents.fences().isEmpty() && unusable.isEmpty()) {
      disk.delete(data);
      disk.delete(indexPath);
      return new Loaded(Optional.empty(), List.of(), Map.of(), false, 0, problems);
    }
    if (rebuild) {
      problems.add(
          "index file rebuilt: file="
              + indexPath
              + ", why="
              + contents.problem().orElse("it says more than the data file holds"));
      part.index().rewrite(allRecords(contents));
      disk.forceDirectory(indexPath.getParent());
    } else if (!recovered.isEmpty()) {
      part.index().append(recovered);
      part.index().force();
    }
    found.forEach((slot, footer) -> part.addSlot(slot, footer.block()));
    unusable.forEach(part::addUnusable);
    return new Loaded(
        Optional.of(part),
        List.copyOf(found.values()),
        contents.fences(),
        rebuild,
        recovered.size(),
        problems);
  }

  private ByteBuffer readIndexFile() throws IOException {
    if (!disk.exists(indexPath)) {
      return ByteBuffer.allocate(0);
    }
    try (DiskFile file = disk.open(indexPath)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
      DiskTransfer.readFully(file, bytes, 0);
      return bytes.flip();
    }
  }

  /**
   * Takes from an intact index file what the data file has room for.
   *
   * @return whether the index file says more than that
   */
  private boolean takeSettled(IndexContents contents, long size) {
    if (contents.problem().isPresent()) {
      return false;
    }
    boolean beyond = false;
    for (BlockFooter footer : contents.settled().values()) {
      if (fits(footer, size)) {
        found.put(footer.slot(), footer);
      } else {
        beyond = true;
        problems.add(
            "data file ends before a block: file="
                + data
                + ", size="
                + size
                + ", slot="
                + footer.slot()
                + ", block="
                + footer.block());
      }
    }
    return beyond;
  }

  private boolean fits(BlockFooter footer, long size) {
    long end =
        footer.length() == 0
            ? layout.footerOffset(footer.slot(), 0) + BlockFooter.encodedSize(0)
            : layout.dataOffset(footer.slot()) + footer.length();
    return end <= size;
  }

  private void recoverOthers(CombinedFile part, IndexContents contents, DiskFile file)
      throws IOException {
    long size = file.size();
    int slots = layout.slotCount(size);
    boolean allSettled = !found.isEmpty() && found.size() == slots;
    if (allSettled && contents.problem().isEmpty()) {
      return;
    }
    boolean headerRight = checkHeader(part, file);
    for (int slot = 0; slot < slots; slot++) {
      if (!found.containsKey(slot)) {
        recoverSlot(contents, file, size, slot);
      }
    }
    if (!headerRight && (!found.isEmpty() || !unusable.isEmpty())) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "combined file has a damaged header: file=" + data);
    }
    // like the blocks: a force that failed before may have left it in memory only
    DiskTransfer.writeFully(file, part.header().encode(), 0);
    file.force();
  }

  private boolean checkHeader(CombinedFile part, DiskFile file) throws IOException {
    ByteBuffer page = ByteBuffer.allocate(CombinedFileHeader.SIZE);
    DiskTransfer.readUpTo(file, page, 0);
    return part.header().problemWith(page.flip()).isEmpty();
  }

  private void recoverSlot(IndexContents contents, DiskFile file, long size, int slot)
      throws IOException {
    Optional<BlockFooter> hint =
        Optional.ofNullable(contents.settled().get(slot))
            .filter(footer -> contents.problem().isPresent())
            .filter(footer -> fits(footer, size));
    SlotRecovery recovery = new SlotRecovery(file, layout, name.key(), slot);
    SlotRecovery.Outcome outcome = recovery.recover(hint);
    outcome
        .damage()
        .ifPresent(what -> problems.add("slot: file=" + data + ", slot=" + slot + ", " + what));
    if (outcome.footer().isPresent()) {
      found.put(slot, outcome.footer().get());
      recovered.add(new IndexRecord.Settled(outcome.footer().get()));
    } else if (recovery.isUsed()) {
      unusable.add(slot);
    }
  }

  private List<IndexRecord> allRecords(IndexContents contents) {
    List<IndexRecord> records = new ArrayList<>();
    contents.fences().forEach((group, epoch) -> records.add(new IndexRecord.Fence(group, epoch)));
    found.values().forEach(footer -> records.add(new IndexRecord.Settled(footer)));
    return records;
  }

  /** Keeps what is damaged under another name, so that the file can be copied here anew. */
  private Loaded putAside(VdfsException why) throws VdfsException {
    try {
      for (Path path : List.of(data, indexPath)) {
        if (disk.exists(path)) {
          disk.rename(
              path, path.resolveSibling(path.getFileName() + CombinedFileName.DAMAGED_SUFFIX));
        }
      }
    } catch (IOException e) {
      e.addSuppressed(why);
      throw StoreErrors.of("cannot put a damaged file aside", volume.directory(), data, e);
    }
    return without("put aside: file=" + data + ", why=" + why.getMessage());
  }
}

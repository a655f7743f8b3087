package io.vdfs.datanode.store.load;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.common.store.FooterDescriptor;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskRefusalException;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.IndexContents;
import io.vdfs.datanode.store.file.IndexFile;
import io.vdfs.datanode.store.file.IndexRecord;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.HeaderRepair;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.StoreErrors;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads one combined file at start: normally from its index file alone, else from the footers in
 * the data file. Afterwards the index file says all that counts, but for slots that could not be
 * read as a whole. Confined to one thread.
 */
final class CombinedFileLoader {
  private static final Logger LOG = LoggerFactory.getLogger(CombinedFileLoader.class);

  private final StoreContext context;
  private final Disk disk;
  private final CombinedFileLayout layout;
  private final Volume volume;
  private final CombinedFileName name;
  private final Optional<BlankFiles.Blank> blank;
  private final Path data;
  private final Path indexPath;
  private final List<String> problems = new ArrayList<>();
  private final Map<Integer, BlockFooter> found = new TreeMap<>();
  private final List<Integer> unusable = new ArrayList<>();
  private final Set<Integer> uncertain = new HashSet<>();
  private final List<IndexRecord> recovered = new ArrayList<>();

  /**
   * @param blank the pair of files that it is in, where that does not have its own names
   */
  CombinedFileLoader(
      StoreContext context,
      Volume volume,
      CombinedFileName name,
      Optional<BlankFiles.Blank> blank) {
    this.context = context;
    this.disk = context.disk();
    this.layout = context.layout();
    this.volume = volume;
    this.name = name;
    this.blank = blank;
    this.data = blank.map(BlankFiles.Blank::data).orElse(name.data(volume.directory()));
    this.indexPath = blank.map(BlankFiles.Blank::index).orElse(name.index(volume.directory()));
  }

  /**
   * The outcome of loading a combined file.
   *
   * @param combined empty if there was nothing in it, or if it cannot be used
   */
  record Loaded(
      Optional<CombinedFile> combined,
      List<BlockFooter> footers,
      Map<Integer, Long> fences,
      boolean rebuilt,
      int recovered,
      List<String> problems) {}

  /** Loads it, or says why not: one file must not keep the others from being served. */
  Loaded load() {
    try {
      return loadOrPutAside();
    } catch (IOException e) {
      // this says nothing about the bytes: the file stays, out of use, until the next start
      return without(StoreErrors.of("not loaded", volume.directory(), data, e).getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("not loaded: file={}", data, e);
      return without("not loaded: file=" + data + ", cause=" + e);
    }
  }

  private Loaded loadOrPutAside() throws IOException {
    try {
      return loadOrFail();
    } catch (VdfsException e) {
      putAside();
      return without("put aside: file=" + data + ", why=" + e.getMessage());
    }
  }

  private Loaded without(String problem) {
    problems.add(problem);
    return new Loaded(Optional.empty(), List.of(), Map.of(), false, 0, problems);
  }

  private Loaded loadOrFail() throws IOException {
    CombinedFileHeader header = context.dataHeader(volume.uuid(), name.key(), name.role());
    IndexContents contents = readIndexFile(header);
    CombinedFile combined =
        new CombinedFile(context, volume, name.key(), name.role(), contents.size());
    blank.ifPresent(combined.files()::stayIn);
    long size = disk.size(data);
    boolean rebuild = takeSettled(contents, size) || contents.problem().isPresent();
    boolean another = !isSettled(contents, size) && !recoverOthers(combined, contents);
    boolean lost = found.isEmpty() && unusable.isEmpty() && contents.tellsOfBlocks();
    if (another || lost) {
      return startOver(
          combined, contents, another ? "it is another one's" : "it lost all its blocks");
    }
    if (found.isEmpty() && contents.fences().isEmpty() && unusable.isEmpty()) {
      disk.delete(data);
      disk.delete(indexPath);
      forceRemoval();
      return new Loaded(Optional.empty(), List.of(), Map.of(), false, 0, problems);
    }
    updateIndex(combined, contents, rebuild);
    found.forEach((slot, footer) -> combined.addSlot(slot, footer.block()));
    unusable.forEach(combined::addUnusable);
    combined.addFences(contents.fences().keySet());
    return new Loaded(
        Optional.of(combined),
        List.copyOf(found.values()),
        fences(contents),
        rebuild,
        recovered.size(),
        problems);
  }

  private IndexContents readIndexFile(CombinedFileHeader header) throws IOException {
    if (!disk.exists(indexPath)) {
      return IndexContents.missing();
    }
    try (DiskFile file = disk.open(indexPath)) {
      return IndexContents.read(file, header.withKind(CombinedFileHeader.Kind.INDEX));
    }
  }

  /**
   * Makes the index file say what was found, if there is room. Where there is none, a file that was
   * right only lacks records that save the next start work.
   */
  private void updateIndex(CombinedFile combined, IndexContents contents, boolean rebuild)
      throws IOException {
    if (rebuild) {
      problems.add(
          "index file rebuilt: file=%s, why=%s"
              .formatted(
                  indexPath, contents.problem().orElse("it says more than the data file holds")));
      if (!combined.files().index().rewriteOrWait(allRecords(contents.fences()))) {
        problems.add("no room for the index file, which waits: file=" + indexPath);
      }
      return;
    }
    try {
      extendIndex(combined, contents);
    } catch (DiskRefusalException e) {
      context.counters().increment(StoreCounter.FAILED_WRITES);
    }
  }

  private void extendIndex(CombinedFile combined, IndexContents contents) throws IOException {
    int slots = found.size() + unusable.size();
    if (contents.size()
        > IndexFile.bound(combined.files().header(), slots, contents.fences().size())) {
      combined.files().index().rewrite(allRecords(contents.fences()));
      context.counters().increment(StoreCounter.COMPACTED_INDEXES);
    } else if (!recovered.isEmpty()) {
      combined.files().index().append(recovered);
      combined.files().index().force();
    }
  }

  /**
   * Keeps what is damaged under another name, and the fences, which must hold for the new file of
   * this name too.
   */
  private Loaded startOver(CombinedFile combined, IndexContents contents, String why)
      throws IOException {
    problems.add("put aside: file=" + data + ", why=" + why);
    putAside();
    Map<Integer, Long> fences = fences(contents);
    if (fences.isEmpty()) {
      return new Loaded(Optional.empty(), List.of(), Map.of(), false, 0, problems);
    }
    found.clear();
    unusable.clear();
    combined.files().create();
    combined.files().index().rewrite(allRecords(fences));
    combined.addFences(fences.keySet());
    return new Loaded(Optional.of(combined), List.of(), fences, true, 0, problems);
  }

  /** The fences of the index file, and those that footers tell of. */
  private Map<Integer, Long> fences(IndexContents contents) {
    Map<Integer, Long> fences = new TreeMap<>(contents.fences());
    contents.settled().values().forEach(footer -> addFence(footer, fences));
    found.values().forEach(footer -> addFence(footer, fences));
    return fences;
  }

  private void addFence(BlockFooter footer, Map<Integer, Long> fences) {
    if (footer.fence() > 0) {
      fences.merge(context.geometry().groupOfBlock(footer.block()), footer.fence(), Math::max);
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
        if (footer.length() > 0) {
          context.counters().increment(StoreCounter.LOST_BLOCKS);
        }
        problems.add(
            "data file ends before a block: file=%s, size=%s, slot=%s, block=%s"
                .formatted(data, size, footer.slot(), footer.block()));
      }
    }
    return beyond;
  }

  private boolean fits(BlockFooter footer, long size) {
    long end =
        footer.length() == 0
            ? layout.footerOffset(footer.slot(), 0) + FooterDescriptor.size(0)
            : layout.dataOffset(footer.slot()) + footer.length();
    return end <= size;
  }

  /** Whether the index file says all about each slot of the data file, which is not opened then. */
  private boolean isSettled(IndexContents contents, long size) {
    boolean all = !found.isEmpty() && found.size() == layout.slotCount(size);
    return all && contents.problem().isEmpty();
  }

  /**
   * Finds out what counts in slots for which the index file does not say so.
   *
   * @return false if the data file is not the one that it should be
   */
  private boolean recoverOthers(CombinedFile combined, IndexContents contents) throws IOException {
    try (DiskFile file = disk.open(data)) {
      return recoverOthers(combined, contents, file);
    }
  }

  private boolean recoverOthers(CombinedFile combined, IndexContents contents, DiskFile file)
      throws IOException {
    int slots = layout.slotCount(file.size());
    HeaderRepair header =
        new HeaderRepair(file, combined.files().header(), data, context.counters());
    Optional<String> wrong = header.problem();
    if (wrong.isPresent() && slots > 0 && !header.isVouchedFor()) {
      problems.add("not the expected combined file: file=" + data + ", " + wrong.get());
      return false;
    }
    for (int slot = 0; slot < slots; slot++) {
      if (!found.containsKey(slot)) {
        recoverSlot(combined, contents, file, slot);
      }
    }
    if (wrong.isPresent()) {
      problems.add("header rewritten: file=" + data + ", why=" + wrong.get());
      header.write();
    } else {
      // written again like the blocks: a force that failed before may have left it in memory only
      DiskTransfer.writeFully(file, combined.files().header().encode(), 0);
      file.force();
    }
    return true;
  }

  private void recoverSlot(CombinedFile combined, IndexContents contents, DiskFile file, int slot)
      throws IOException {
    long size = file.size();
    Optional<BlockFooter> hint =
        Optional.ofNullable(contents.settled().get(slot))
            .filter(footer -> contents.problem().isPresent())
            .filter(footer -> fits(footer, size));
    SlotRecovery recovery = new SlotRecovery(file, combined.files().header(), slot);
    SlotRecovery.Outcome outcome = recovery.recover(hint);
    outcome
        .damage()
        .ifPresent(what -> problems.add("slot: file=" + data + ", slot=" + slot + ", " + what));
    if (outcome.footer().isPresent()) {
      found.put(slot, outcome.footer().get());
      if (outcome.certain()) {
        recovered.add(new IndexRecord.Settled(outcome.footer().get()));
      } else {
        uncertain.add(slot);
      }
    } else if (recovery.isUsed()) {
      unusable.add(slot);
    }
  }

  private List<IndexRecord> allRecords(Map<Integer, Long> fences) {
    List<IndexRecord> records = new ArrayList<>();
    fences.forEach((group, epoch) -> records.add(new IndexRecord.Fence(group, epoch)));
    found.values().stream()
        .filter(footer -> !uncertain.contains(footer.slot()))
        .forEach(footer -> records.add(new IndexRecord.Settled(footer)));
    return records;
  }

  /** Keeps what is damaged under another name, so that the file can be copied here anew. */
  private void putAside() throws IOException {
    for (Path path : List.of(indexPath, data)) {
      if (disk.exists(path)) {
        disk.rename(path, unusedNameFor(path));
      }
    }
    forceRemoval();
    context.counters().increment(StoreCounter.PUT_ASIDE);
  }

  /**
   * Makes the removal durable: a name that came back would be taken for the file's, whatever the
   * file is written into next.
   */
  private void forceRemoval() throws IOException {
    disk.forceDirectory(data.getParent());
  }

  private Path unusedNameFor(Path path) throws IOException {
    String aside = path.getFileName() + CombinedFileName.DAMAGED_SUFFIX;
    Path unused = path.resolveSibling(aside);
    for (int more = 2; disk.exists(unused); more++) {
      unused = path.resolveSibling(aside + "." + more);
    }
    return unused;
  }
}

package io.vdfs.datanode.store.group;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.GroupHolding;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.OpenSlot;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.index.BlockIndex;
import io.vdfs.datanode.store.index.BlockKey;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.BlankUse;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a node holds of one file, on any of its volumes. Thread-safe: the {@link FileGuard}
 * guards the open writers, the deletion and the state of the combined files; no thread is in it
 * while waiting for a force that a writer asked for. What readers need (combined files, fences,
 * which groups have a writer, the index) is read without it.
 */
public final class StoredFile {
  private static final Logger LOG = LoggerFactory.getLogger(StoredFile.class);

  private final FileKey key;
  private final StoreContext context;
  private final BlockIndex index;
  private final FileGuard guard = new FileGuard();
  private final Map<Place, CombinedFile> combinedFiles = new ConcurrentHashMap<>();
  private final GroupFences fences = new GroupFences();
  private final Map<Integer, OpenWriter> writers = new ConcurrentHashMap<>();
  private final Map<Long, BlockCopy> copies = new HashMap<>();

  private boolean hasDropped; // some block when it was loaded
  private boolean mayUseBlank = true;
  private boolean deleted;
  private boolean discarded;

  public StoredFile(FileKey key, StoreContext context, BlockIndex index) {
    this.key = key;
    this.context = context;
    this.index = index;
  }

  private record Place(int volume, BlockRole role) {}

  /** A combined file that was made in a blank one. */
  private record InBlank(StoredFile file, CombinedFile combined) implements BlankUse {
    @Override
    public Linking link() {
      try {
        return file.guard.get(this::linkGuarded);
      } catch (VdfsException e) {
        LOG.warn("a small file keeps its first name: {}", e.getMessage());
        return Linking.LATER;
      }
    }

    private Linking linkGuarded() throws VdfsException {
      if (combined.files().isDeleted()) {
        return Linking.GONE;
      }
      return combined.linkOwnNames(file.endOf(combined)) ? Linking.DONE : Linking.LATER;
    }

    @Override
    public Path directory() {
      return combined.files().path().getParent();
    }

    @Override
    public void dropBlankNames() throws IOException {
      file.guard.run(() -> combined.files().dropBlankNames());
    }

    @Override
    public void onRenamed() {
      combined.files().onRenamed();
    }
  }

  FileKey key() {
    return key;
  }

  ClusterGeometry geometry() {
    return context.geometry();
  }

  StoreCounters counters() {
    return context.counters();
  }

  /** The only way to change the state of this file. */
  FileGuard guard() {
    return guard;
  }

  /** Bytes written after which a combined file is forced in the background. */
  long writeBackBytes() {
    return context.config().writeBackBytes();
  }

  /**
   * Takes in a combined file that was found at start. Two volumes may hold some of one file.
   *
   * @param footers of the blocks found in it
   */
  public void addFound(
      CombinedFile combined, Map<Integer, Long> fencesFound, List<BlockFooter> footers)
      throws VdfsException {
    guard.run(
        () -> {
          combinedFiles.put(new Place(combined.volume().number(), combined.role()), combined);
          if (!combined.files().hasOwnNames()) {
            combined.volume().blanks().onUsed(new InBlank(this, combined));
          }
          fencesFound.forEach(fences::note);
          for (BlockFooter footer : footers) {
            hasDropped |= footer.length() == 0;
            addBlock(
                footer.block(), BlockEntry.of(combined.volume().number(), combined.role(), footer));
          }
        });
  }

  /** Takes in a block that was found at start, unless a newer version of it is known. */
  private void addBlock(long block, BlockEntry found) throws VdfsException {
    BlockKey blockKey = new BlockKey(key, block);
    Optional<BlockEntry> known = index.get(blockKey);
    if (known.isEmpty() || found.supersedes(known.get())) {
      index.put(blockKey, found);
    }
  }

  boolean hasCombinedFiles() {
    return !combinedFiles.isEmpty();
  }

  boolean isDeleted() {
    return deleted;
  }

  /** Whether it was found to be garbage; a caller that needs it after all begins another one. */
  boolean isDiscarded() {
    return discarded;
  }

  /** The entry of a block of which at least a byte is held. */
  Optional<BlockEntry> block(long block) {
    return lastEntry(block).filter(entry -> entry.length() > 0);
  }

  /** The entry of a block, also of one that was truncated away. */
  Optional<BlockEntry> lastEntry(long block) {
    return index.get(new BlockKey(key, block));
  }

  /** Sequence of the last footer of a block, also of one that was truncated away; 0 for none. */
  long lastSequence(long block) {
    return lastEntry(block).map(BlockEntry::sequence).orElse(0L);
  }

  /** Makes the state of a slot visible to readers. */
  void publish(OpenSlot slot) throws VdfsException {
    guard.checkHeld();
    index.put(new BlockKey(key, slot.block()), slot.entry());
  }

  /** Ends a slot, and makes the sequence of its last footer known. */
  void finish(OpenSlot slot) throws VdfsException {
    slot.finish();
    publish(slot);
  }

  /** Ends a slot where a step failed: what readers see is what counts. */
  void restore(OpenSlot slot) {
    guard.checkHeld();
    slot.restore(visible(slot));
  }

  /** The entry that readers see of the block of a slot, if they see it in this slot. */
  Optional<BlockEntry> visible(OpenSlot slot) {
    return lastEntry(slot.block()).filter(slot::holds);
  }

  /**
   * Writes the footers of a group that a full disk refused, so that what is held of it outlives the
   * process. No writer of the group is open.
   *
   * @param length bytes of the group whose blocks are meant
   * @throws VdfsException NO_SPACE if there is still no room
   */
  void writeLackingFooters(int group, long length) throws VdfsException {
    for (OpenSlot slot : lackingFooters(group, length)) {
      finish(slot);
    }
  }

  /**
   * As {@link #writeLackingFooters}, of all blocks, but gives up the bytes for which there is no
   * room.
   */
  void writeOrGiveUpLackingFooters(int group) throws VdfsException {
    for (OpenSlot slot : lackingFooters(group, geometry().groupSize())) {
      try {
        finish(slot);
      } catch (VdfsException e) {
        if (e.code() != ErrorCode.NO_SPACE) {
          throw e;
        }
        slot.giveUpUnwritten();
        publish(slot);
      }
    }
  }

  private List<OpenSlot> lackingFooters(int group, long length) {
    long from = firstBlock(group);
    long to = from + blocksOf(length);
    return combinedFiles.values().stream()
        .flatMap(combined -> combined.lackingFooters().stream())
        .filter(slot -> slot.block() >= from && slot.block() < to)
        .filter(slot -> visible(slot).isPresent())
        .toList();
  }

  Collection<CombinedFile> combinedFiles() {
    return combinedFiles.values();
  }

  Optional<CombinedFile> combinedFile(BlockEntry entry) {
    return combinedFile(entry.volume(), entry.role());
  }

  Optional<CombinedFile> combinedFile(int volume, BlockRole role) {
    return Optional.ofNullable(combinedFiles.get(new Place(volume, role)));
  }

  /** The combined file of an entry, which must be there. */
  CombinedFile combinedFileOf(BlockEntry entry) throws VdfsException {
    return combinedFile(entry)
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.INTERNAL,
                    "block without its file: file=" + key + ", entry=" + entry));
  }

  long groupStart(int group) {
    return group * geometry().groupSize();
  }

  long firstBlock(int group) {
    return (long) group * geometry().groupBlocks();
  }

  /** Bytes held of a group without a gap. */
  long heldLength(int group) {
    return countedLength(group, LeaseBound.NONE);
  }

  /** Bytes that count of a group under a lease, without a gap. */
  long countedLength(int group, LeaseBound lease) {
    long length = 0;
    long first = firstBlock(group);
    for (long block = first; block < first + geometry().groupBlocks(); block++) {
      long start = block * geometry().blockSize();
      int held =
          block(block)
              .map(entry -> lease.counted(start, entry.length(), entry.writeEpoch()))
              .orElse(0);
      length += held;
      if (held < geometry().blockSize()) {
        return length;
      }
    }
    return length;
  }

  GroupState state(int group) {
    return state(group, LeaseBound.NONE);
  }

  GroupState state(int group, LeaseBound lease) {
    long length = countedLength(group, lease);
    long epoch = contentEpoch(group, length);
    return new GroupState(length, epoch, Math.max(epoch, fences.of(group)));
  }

  private long contentEpoch(int group, long length) {
    long epoch = 0;
    for (long block = firstBlock(group); block < firstBlock(group) + blocksOf(length); block++) {
      epoch = Math.max(epoch, block(block).map(BlockEntry::writeEpoch).orElse(0L));
    }
    return epoch;
  }

  private long blocksOf(long length) {
    return geometry().blockCount(length);
  }

  /** The combined file in which the group's first block lies. */
  Optional<CombinedFile> combinedFileOfGroup(int group) {
    return block(firstBlock(group)).flatMap(this::combinedFile);
  }

  /** The combined file in which the last of {@code held} bytes of the group lies. */
  Optional<CombinedFile> combinedFileOfEnd(int group, long held) {
    long last = firstBlock(group) + Math.max(0, blocksOf(held) - 1);
    return block(last).flatMap(this::combinedFile);
  }

  /** The first combined file with blocks of the group that does not lie on a suspect volume. */
  Optional<CombinedFile> healthyPartOf(int group) {
    return firstHealthy(holding(group)).or(() -> firstHealthy(withSlotsOf(group)));
  }

  /** The combined files in which blocks of a group have slots, if only for unfinished copies. */
  private List<CombinedFile> withSlotsOf(int group) {
    return combinedFiles.values().stream()
        .filter(
            combined ->
                combined.blocks().anyMatch(block -> geometry().groupOfBlock(block) == group))
        .toList();
  }

  private static Optional<CombinedFile> firstHealthy(Collection<CombinedFile> files) {
    return files.stream().filter(combined -> !combined.files().isSuspect()).findFirst();
  }

  /** Some combined file of this file, to write a fence into. */
  Optional<CombinedFile> anyHealthyCombinedFile() {
    return firstHealthy(combinedFiles.values());
  }

  /**
   * A combined file of this volume and role, made if need be.
   *
   * @param bytes that are all it is going to hold, for now; 0 where that is not known
   */
  CombinedFile combinedFileOn(Volume volume, BlockRole role, long bytes) throws VdfsException {
    guard.checkHeld();
    Place id = new Place(volume.number(), role);
    CombinedFile combined = combinedFiles.get(id);
    if (combined == null) {
      combined = new CombinedFile(context, volume, key, role, 0);
      Optional<BlankFiles.Blank> blank =
          mayUseBlank ? volume.blanks().take(key, bytes) : Optional.empty();
      if (blank.isPresent()) {
        // it could not be told which of two blank files that tell of this file counts
        mayUseBlank = false;
        combined.files().createIn(blank.get());
        mayUseBlank = true;
        volume.blanks().onUsed(new InBlank(this, combined));
      } else {
        combined.files().create();
      }
      combinedFiles.put(id, combined);
    }
    return combined;
  }

  /** End of what is held in a combined file with one slot; empty if there are more. */
  OptionalLong endOf(CombinedFile combined) {
    List<BlockEntry> held =
        combined.blocks().boxed().flatMap(block -> block(block).stream()).toList();
    return combined.slots() == 1
            && held.size() == 1
            && combinedFile(held.get(0)).equals(Optional.of(combined))
        ? OptionalLong.of(combined.files().layout().dataOffset(0) + held.get(0).length())
        : OptionalLong.empty();
  }

  /** Slots given out in the combined file of this volume and role; 0 if there is none. */
  int slotsOn(Volume volume, BlockRole role) {
    return combinedFile(volume.number(), role).map(CombinedFile::slots).orElse(0);
  }

  Optional<OpenWriter> writer(int group) {
    return Optional.ofNullable(writers.get(group));
  }

  /** Whether a writer of the group is open. Never waits for one. */
  boolean isWriting(int group) {
    return writers.containsKey(group);
  }

  /** The copy of a block that is being made here. */
  Optional<BlockCopy> copyOf(long block) {
    guard.checkHeld();
    return Optional.ofNullable(copies.get(block));
  }

  void beginCopy(long block, BlockCopy copy) {
    guard.checkHeld();
    copies.put(block, copy);
  }

  /** Lets another copy of the block begin; does nothing where one has begun. */
  void endCopy(long block, BlockCopy copy) {
    guard.checkHeld();
    copies.remove(block, copy);
  }

  /** Takes note of a writer, which ends the copies of blocks of the group that are being made. */
  void register(int group, OpenWriter writer) {
    guard.checkHeld();
    copies.keySet().removeIf(block -> geometry().groupOfBlock(block) == group);
    writers.put(group, writer);
  }

  void unregister(int group, OpenWriter writer) {
    guard.checkHeld();
    writers.remove(group, writer);
  }

  /**
   * @throws VdfsException FENCED if a higher epoch was seen for the group; INVALID_ARGUMENT below
   *     the first
   */
  void checkEpoch(int group, long epoch) throws VdfsException {
    if (epoch < GroupFences.FIRST_EPOCH) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "write epochs begin with %s: file=%s, epoch=%s"
              .formatted(GroupFences.FIRST_EPOCH, key, epoch));
    }
    long fence = state(group).fenceEpoch();
    if (epoch < fence) {
      throw new VdfsException(
          ErrorCode.FENCED,
          "a later writer was seen: file=%s, group=%s, epoch=%s, fence=%s"
              .formatted(key, group, epoch, fence));
    }
  }

  /**
   * Records that writers below {@code epoch} are over. There are none below the first epoch, so
   * that is not worth a force of the index.
   *
   * @param combined where to write it down
   */
  void raiseFence(int group, long epoch, CombinedFile combined, boolean force)
      throws VdfsException {
    guard.checkHeld();
    if (fences.lacks(group, epoch, force)) {
      combined.addFence(group, epoch, force);
      if (!force && epoch > GroupFences.FIRST_EPOCH) {
        combined.files().forceIndexNext();
      }
      fences.note(group, epoch);
    }
    if (force) {
      fences.noteForced(group, epoch);
    }
  }

  /** Takes note of a fence that a footer tells of. */
  void noteFence(int group, long epoch) {
    fences.note(group, epoch);
  }

  /** Whether blocks of a group lie on a volume that is suspect. */
  boolean hasBlocksOnSuspect(int group) {
    return holding(group).stream().anyMatch(combined -> combined.files().isSuspect());
  }

  /** Where the blocks of a group lie, in their order. */
  Set<CombinedFile> holding(int group) {
    return holding(group, geometry().groupSize());
  }

  /** Where the blocks lie that have the first {@code length} bytes of a group, in their order. */
  Set<CombinedFile> holding(int group, long length) {
    Set<CombinedFile> holding = new LinkedHashSet<>();
    long first = firstBlock(group);
    for (long block = first; block < first + blocksOf(length); block++) {
      block(block).flatMap(this::combinedFile).ifPresent(holding::add);
    }
    return holding;
  }

  /** Groups of which there is anything, in order. */
  List<GroupHolding> holdings() {
    Set<Integer> groups = guard.get(this::groupsHeld);
    List<GroupHolding> holdings = new ArrayList<>();
    for (int group : groups) {
      GroupState state = state(group);
      combinedFileOfGroup(group)
          .map(
              combined ->
                  new GroupHolding(
                      key,
                      group,
                      combined.role(),
                      combined.volume().number(),
                      state.length(),
                      state.contentEpoch()))
          .ifPresent(holdings::add);
    }
    return holdings;
  }

  private Set<Integer> groupsHeld() {
    TreeSet<Integer> groups = new TreeSet<>();
    for (CombinedFile combined : combinedFiles.values()) {
      combined.blocks().forEach(block -> groups.add(geometry().groupOfBlock(block)));
    }
    return groups;
  }

  /** Drops everything; to be tried again if it fails. This object is to be forgotten afterwards. */
  void delete() throws VdfsException {
    guard.checkHeld();
    deleted = true;
    writers.values().forEach(OpenWriter::onDeleted);
    writers.clear();
    removeCombinedFiles();
  }

  /**
   * Takes all combined files to the garbage, unless something is being done to one of them. To be
   * tried again if it fails.
   *
   * @param epoch as of {@link io.vdfs.datanode.store.BlockStore#discard}
   * @param second since 1970
   * @return bytes of the data files, those of an earlier try apart; empty if it is in use
   */
  OptionalLong discard(long epoch, long second) throws VdfsException {
    guard.checkHeld();
    // the end of the last writer may have fenced its epoch, and a copy then took the next one
    boolean later = groupsHeld().stream().anyMatch(group -> state(group).fenceEpoch() > epoch + 1);
    if (deleted || later || !writers.isEmpty() || !copies.isEmpty()) {
      return OptionalLong.empty();
    }
    long bytes = 0;
    if (!discarded) {
      for (CombinedFile combined : combinedFiles.values()) {
        if (!combined.isAtRest() || !combined.linkOwnNames(endOf(combined))) {
          return OptionalLong.empty();
        }
      }
      for (CombinedFile combined : combinedFiles.values()) {
        bytes += combined.keep(second);
      }
      discarded = true;
    }
    removeCombinedFiles();
    return OptionalLong.of(bytes);
  }

  /** Whether blocks of the file had been dropped when it was loaded. */
  boolean hasDroppedBlocks() {
    return hasDropped;
  }

  /** Whether a copy of a block of a group is being made here. */
  boolean isCopying(int group) {
    guard.checkHeld();
    return copies.keySet().stream().anyMatch(block -> geometry().groupOfBlock(block) == group);
  }

  private void removeCombinedFiles() throws VdfsException {
    for (CombinedFile combined : combinedFiles.values()) {
      combined.blocks().forEach(block -> index.remove(new BlockKey(key, block)));
    }
    for (CombinedFile combined : combinedFiles.values()) {
      combined.delete();
    }
  }

  /** Ends all writers, keeping what they wrote. */
  void abandonWriters() {
    guard.run(() -> List.copyOf(writers.values()).forEach(OpenWriter::abandon));
  }
}

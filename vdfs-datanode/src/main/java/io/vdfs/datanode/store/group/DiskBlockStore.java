package io.vdfs.datanode.store.group;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.CombinedFileId;
import io.vdfs.datanode.store.FileRegistry;
import io.vdfs.datanode.store.GroupHolding;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.FilePair;
import io.vdfs.datanode.store.file.SlotRead;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.index.TalliedIndex;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.status.GarbageUsage;
import io.vdfs.datanode.store.status.HeldBlocks;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.status.StoreReport;
import io.vdfs.datanode.store.status.VolumeUsage;
import io.vdfs.datanode.store.turns.TurnGate;
import io.vdfs.datanode.store.volume.RemovalMark;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.Volume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/** The block store over the volumes of this node. Thread-safe. */
public final class DiskBlockStore implements BlockStore {
  private final StoreContext context;
  private final List<Volume> volumes;
  private final TalliedIndex index;
  private final StoreReport report;
  private final Map<FileKey, StoredFile> files;
  private final RemovedFiles removed;
  private final DroppedRoom droppedRoom;
  private volatile FileRegistry registry = FileRegistry.NONE;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param volumes started, and given back when the store is closed, as is {@code index}
   * @param files what the volumes hold
   * @param report what opening them found
   */
  public DiskBlockStore(
      StoreContext context,
      List<Volume> volumes,
      TalliedIndex index,
      Map<FileKey, StoredFile> files,
      StoreReport report) {
    this.context = context;
    this.volumes = volumes;
    this.index = index;
    this.files = files;
    this.report = report;
    this.droppedRoom = new DroppedRoom(volumes, context.counters());
    files.values().stream()
        .filter(StoredFile::hasDroppedBlocks)
        .forEach(file -> droppedRoom.onDropped(file, Long.MAX_VALUE));
    this.removed = new RemovedFiles(RemovedFiles.REMEMBERED, removalMark(volumes));
  }

  /** Where the mark is damaged on all volumes, any file may have been removed. */
  private static RemovalMark removalMark(List<Volume> volumes) {
    RemovalMark highest = RemovalMark.NONE;
    boolean unknown = false;
    for (Volume volume : volumes) {
      Optional<RemovalMark> mark = volume.removalMark();
      highest = highest.orHigher(mark.orElse(RemovalMark.NONE));
      unknown |= mark.isEmpty();
    }
    return unknown && highest.equals(RemovalMark.NONE) ? RemovalMark.ANYTHING : highest;
  }

  @Override
  public BlockWriter openWriter(
      FileKey key,
      BlockRole role,
      long writeEpoch,
      long startOffset,
      int group,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException {
    checkCall(key, group);
    if (!files.containsKey(key)) {
      checkIsThere(key, lastDeletion);
    }
    return admitted(key, group).openWriter(role, writeEpoch, startOffset, lease, bytes);
  }

  /** A file that is not held here may have been removed after the metadata told of it. */
  private void checkIsThere(FileKey key, long lastDeletion) throws VdfsException {
    if (removed.mustAsk(key, lastDeletion)) {
      if (removed.knowsSequences()) {
        throw RemovedFiles.staleTicket(key, lastDeletion, removed.mark().lastDeletion());
      }
      checkExists(key);
    }
  }

  private void checkCall(FileKey key, int group) throws VdfsException {
    checkOpen();
    if (group < 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "no such group: file=" + key + ", group=" + group);
    }
  }

  private GroupOperations operations(FileKey key, int group) throws VdfsException {
    checkCall(key, group);
    if (!files.containsKey(key)) {
      checkExists(key);
    }
    return admitted(key, group);
  }

  private GroupOperations admitted(FileKey key, int group) throws VdfsException {
    StoredFile file =
        files.computeIfAbsent(key, missing -> new StoredFile(missing, context, index));
    // a removal from here on finds the file and ends what is done to it
    if (removed.contains(key)) {
      files.computeIfPresent(key, (same, known) -> known.hasCombinedFiles() ? known : null);
      throw RemovedFiles.refusal(key);
    }
    return new GroupOperations(file, volumes, group);
  }

  /** Asks the metadata about a file that may have been removed here. */
  private void checkExists(FileKey key) throws VdfsException {
    if (removed.contains(key) || (removed.mayContain(key) && !registry.exists(key))) {
      throw RemovedFiles.refusal(key);
    }
  }

  private void checkOpen() throws VdfsException {
    if (closed.get()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "block store is closed: node=" + context.config().node());
    }
  }

  @Override
  public Optional<BlockLocation> locate(FileKey key, long block) {
    StoredFile file = files.get(key);
    return file == null
        ? Optional.empty()
        : file.block(block)
            .flatMap(
                entry ->
                    file.combinedFile(entry)
                        .map(combined -> location(combined.files(), block, entry)));
  }

  private static BlockLocation location(FilePair files, long block, BlockEntry entry) {
    return new BlockLocation(
        files.key(),
        block,
        files.role(),
        files.volume().number(),
        files.path(),
        files.layout().dataOffset(entry.slot()),
        entry.length(),
        entry.writeEpoch(),
        entry.checksums());
  }

  @Override
  public BlockData read(FileKey key, long block, int offset, int length, boolean verify)
      throws VdfsException {
    checkOpen();
    return planRead(key, block, offset, length, verify).execute();
  }

  @Override
  public int readRaw(CombinedFileId file, long position, ByteBuffer target) throws VdfsException {
    checkOpen();
    Optional<FilePair> files = files(file);
    if (files.isEmpty()) {
      throw new VdfsException(ErrorCode.NOT_FOUND, "no such combined file: file=" + file);
    }
    int read = files.get().readUpTo(target, position);
    context.counters().increment(StoreCounter.READS);
    context.counters().add(StoreCounter.READ_BYTES, read);
    return read;
  }

  @Override
  public boolean isCached(CombinedFileId file, long position, long length) {
    return files(file).filter(found -> found.isCached(position, length)).isPresent();
  }

  @Override
  public TurnGate turnGate(int number) {
    return volumes.stream()
        .filter(volume -> volume.number() == number)
        .map(Volume::gate)
        .findFirst()
        .orElseGet(TurnGate::open);
  }

  private Optional<FilePair> files(CombinedFileId id) {
    return Optional.ofNullable(files.get(id.key()))
        .flatMap(file -> file.combinedFile(id.volume(), id.role()))
        .map(CombinedFile::files);
  }

  private SlotRead planRead(FileKey key, long block, int offset, int length, boolean verify)
      throws VdfsException {
    if (offset < 0 || length <= 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "range to read: file=%s, block=%s, offset=%s, length=%s"
              .formatted(key, block, offset, length));
    }
    StoredFile file = files.get(key);
    Optional<BlockEntry> entry = file == null ? Optional.empty() : file.block(block);
    Optional<CombinedFile> combined = entry.flatMap(found -> file.combinedFile(found));
    if (combined.isEmpty() || offset >= entry.get().length()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "node does not hold these bytes: file=%s, block=%s, offset=%s, held=%s"
              .formatted(key, block, offset, entry.map(BlockEntry::length).orElse(0)));
    }
    int chunkSize = context.geometry().chunkSize();
    int from = offset / chunkSize * chunkSize;
    long chunks = ((long) offset + length - from + chunkSize - 1) / chunkSize;
    int to = (int) Math.min(entry.get().length(), from + chunks * chunkSize);
    return new SlotRead(
        combined.get().files(),
        entry.get(),
        block,
        from,
        to - from,
        verify,
        context.buffers(),
        context.counters());
  }

  @Override
  public GroupState group(FileKey key, int group) {
    return group(key, group, LeaseBound.NONE);
  }

  @Override
  public GroupState group(FileKey key, int group, LeaseBound lease) {
    StoredFile file = files.get(key);
    return file == null ? new GroupState(0, 0, 0) : file.state(group, lease);
  }

  @Override
  public boolean isWriting(FileKey key, int group) {
    StoredFile file = files.get(key);
    return file != null && file.isWriting(group);
  }

  @Override
  public GroupState fence(FileKey key, int group, long epoch) throws VdfsException {
    return operations(key, group).fence(epoch);
  }

  @Override
  public VerifiedGroup verify(
      FileKey key, int group, LeaseBound lease, List<Long> marks, ReadPace pace)
      throws VdfsException {
    checkOpen();
    StoredFile file = files.get(key);
    return file == null
        ? VerifiedGroup.NOTHING
        : new GroupOperations(file, volumes, group).verify(lease, marks, pace);
  }

  @Override
  public BlockCopy openCopy(FileKey key, BlockRole role, long block, long epoch)
      throws VdfsException {
    int group = context.geometry().groupOfBlock(block);
    return operations(key, group).openCopy(role, block, epoch);
  }

  @Override
  public void truncateGroup(FileKey key, int group, long length, long epoch) throws VdfsException {
    operations(key, group).truncate(length, epoch);
  }

  @Override
  public boolean delete(FileKey key) throws VdfsException {
    checkOpen();
    removed.add(key);
    volumes.forEach(volume -> volume.removedNames().onAskedFor(key));
    StoredFile file = files.get(key);
    if (file == null) {
      return false;
    }
    file.guard()
        .run(
            () -> {
              file.delete();
              files.remove(key, file);
            });
    return true;
  }

  @Override
  public void forceRemovals(long lastDeletion) throws VdfsException {
    checkOpen();
    removed.reached(lastDeletion);
    for (Volume volume : volumes) {
      volume.forceRemovals(removed.mark());
    }
    if (!report.failedVolumes().isEmpty()) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "removed files may lie on volumes that are not served: volumes=%s"
              .formatted(report.failedVolumes().stream().map(FailedVolume::directory).toList()));
    }
  }

  @Override
  public OptionalLong discard(FileKey key, long epoch, long second) throws VdfsException {
    checkOpen();
    StoredFile file = files.get(key);
    if (file == null) {
      return OptionalLong.empty();
    }
    return file.guard()
        .get(
            () -> {
              OptionalLong kept = file.discard(epoch, second);
              if (kept.isPresent()) {
                files.remove(key, file);
              }
              return kept;
            });
  }

  @Override
  public OptionalLong discardGroup(FileKey key, int group, long epoch, long second)
      throws VdfsException {
    checkCall(key, group);
    StoredFile file = files.get(key);
    if (file == null) {
      return OptionalLong.empty();
    }
    OptionalLong bytes = new GroupOperations(file, volumes, group).discard(epoch);
    if (bytes.isPresent()) {
      droppedRoom.onDropped(file, second);
    }
    return bytes;
  }

  @Override
  public GarbageUsage purgeGarbage(long before) throws VdfsException {
    checkOpen();
    droppedRoom.giveBack(before);
    GarbageUsage left = GarbageUsage.NONE;
    VdfsException failure = null;
    for (Volume volume : volumes) {
      try {
        left = left.plus(volume.purgeGarbage(before));
      } catch (VdfsException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return left;
  }

  @Override
  public Iterator<FileKey> files() {
    return files.keySet().iterator();
  }

  /** Sets the registry to ask about a file that may have been removed here. */
  public void ask(FileRegistry metadata) {
    registry = metadata;
  }

  @Override
  public Iterator<GroupHolding> holdings() {
    return files.values().stream().flatMap(file -> file.holdings().stream()).iterator();
  }

  @Override
  public boolean isOnSuspectVolume(FileKey key, int group) {
    StoredFile file = files.get(key);
    return file != null
        && volumes.stream().anyMatch(Volume::isSuspect)
        && !volumes.stream().allMatch(Volume::isSuspect)
        && file.hasBlocksOnSuspect(group);
  }

  @Override
  public List<VolumeUsage> usage() {
    List<VolumeUsage> usage = new ArrayList<>();
    for (Volume volume : volumes) {
      usage.add(volume.usage());
    }
    return usage;
  }

  @Override
  public List<HeldBlocks> held() {
    List<HeldBlocks> held = new ArrayList<>();
    for (Volume volume : volumes) {
      for (BlockRole role : BlockRole.values()) {
        held.add(
            new HeldBlocks(
                volume.directory(),
                role,
                index.groups(volume.number(), role),
                index.bytes(volume.number(), role)));
      }
    }
    return held;
  }

  @Override
  public StoreReport report() {
    return report;
  }

  @Override
  public StoreCounters counters() {
    return context.counters();
  }

  /** Forces what waits for it, on the calling thread: for a store without threads of its own. */
  public void writeBack() {
    volumes.forEach(volume -> volume.writeBack().work());
  }

  @Override
  public void close() throws VdfsException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    files.values().forEach(StoredFile::abandonWriters);
    VdfsException failure = null;
    for (Volume volume : volumes) {
      try {
        volume.close();
      } catch (VdfsException e) {
        failure = e;
      }
    }
    index.close();
    if (failure != null) {
      throw failure;
    }
  }
}

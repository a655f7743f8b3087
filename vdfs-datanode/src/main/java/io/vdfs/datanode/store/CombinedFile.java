package io.vdfs.datanode.store;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskFullException;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.index.BlockEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;

/**
 * The blocks of one file on one volume in one role: a data file and its index file. Guarded by the
 * lock of its {@link StoredFile}, but for the final and volatile fields.
 */
final class CombinedFile {
  private static final int FIRST_SLOTS = 4;
  private static final int PAGE = 4096;

  private final long number;
  private final Volume volume;
  private final CombinedFileHeader header;
  private final CombinedFileName name;
  private final Disk disk;
  private final StoreCounters counters;
  private final IndexFile index;
  private final Map<Integer, OpenSlot> openSlots = new TreeMap<>();
  private final Set<Integer> fencedGroups = new HashSet<>();
  private long[] blockOfSlot = new long[FIRST_SLOTS];
  private int slots;
  private OpenFiles.Lease lease;
  private long bytesSinceForce;
  private boolean indexUnforced;

  /** Whether any bytes or footers were written since the file was made in a blank one. */
  private boolean hasData;

  private boolean hasFooter;

  /**
   * Held while the disk forces something of this file. Where it fails it may say so to one caller
   * only: the others wait here for that one's verdict. Taken last, with or without the lock.
   */
  private final ReentrantLock forcing = new ReentrantLock();

  /** The pair of blank files that this one was made in, while it may have their names. */
  private Optional<BlankFiles.Blank> blank = Optional.empty();

  private volatile Path path;

  /** While the names of blank files may come back in a power cut, beside the own ones. */
  private volatile boolean renaming;

  private volatile boolean namesForced;
  private volatile boolean deleted;
  private volatile String suspect;

  /**
   * @param indexEnd size of the index file, 0 if there is none
   */
  CombinedFile(StoreContext context, Volume volume, FileKey key, BlockRole role, long indexEnd) {
    this.number = context.partNumbers().incrementAndGet();
    this.volume = volume;
    this.disk = context.disk();
    this.counters = context.counters();
    this.header =
        new CombinedFileHeader(
            CombinedFileHeader.Kind.DATA,
            context.config().cluster(),
            context.config().node(),
            volume.uuid(),
            key,
            role,
            context.layout());
    this.name = new CombinedFileName(key, role);
    this.path = name.data(volume.directory());
    this.index =
        new IndexFile(
            disk,
            name.index(volume.directory()),
            header.withKind(CombinedFileHeader.Kind.INDEX),
            counters,
            indexEnd);
  }

  long number() {
    return number;
  }

  Volume volume() {
    return volume;
  }

  CombinedFileHeader header() {
    return header;
  }

  CombinedFileLayout layout() {
    return header.layout();
  }

  FileKey key() {
    return header.key();
  }

  BlockRole role() {
    return header.role();
  }

  /** Changes once for a file that was made ahead; the old name stays for a while then. */
  Path path() {
    return path;
  }

  IndexFile index() {
    return index;
  }

  boolean isDeleted() {
    return deleted;
  }

  boolean isSuspect() {
    return suspect != null || volume.isSuspect();
  }

  /**
   * Makes both files, with their headers; nothing is durable yet. Leaves none behind on failure.
   */
  void create() throws VdfsException {
    volume.claim(2L * CombinedFileHeader.SIZE);
    try {
      disk.createDirectories(path.getParent());
      if (!disk.exists(path)) {
        // one that a deletion left over means nothing, and must not seem to be of the new file
        disk.delete(index.path());
      }
      try (DiskFile file = disk.create(path)) {
        DiskTransfer.writeFully(file, header.encode(), 0);
      }
      index.create();
    } catch (FileAlreadyExistsException e) {
      throw inTheWay();
    } catch (IOException e) {
      removeFiles(e);
      throw failed("cannot create combined file", e);
    }
  }

  private VdfsException inTheWay() {
    return new VdfsException(
        ErrorCode.IO_ERROR,
        "a combined file that was not loaded is in the way: volume="
            + volume.directory()
            + ", file="
            + path
            + "; see the log of the start, then restart or remove it");
  }

  /**
   * As {@link #create}, in files that were made ahead and whose names survive a power cut. Of this
   * file there is no name, nor can one come back: a start makes durable what it takes away.
   */
  void createIn(BlankFiles.Blank files) throws VdfsException {
    try (DiskFile file = files.open()) {
      if (disk.exists(path)) {
        throw inTheWay();
      }
      path = files.data();
      blank = Optional.of(files);
      DiskTransfer.writeFully(file, header.encode(), 0);
      index.createIn(files.index());
      namesForced = true;
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      removeFiles(e);
      throw failed("cannot use blank file", e);
    }
  }

  /**
   * Gives both files their own names, too, and gives up room that is not used; with the lock held.
   *
   * @param end of what is held in the only slot; empty if there are more slots
   * @return false if something is being written or not durable
   */
  boolean linkOwnNames(OptionalLong end) throws VdfsException {
    Path own = name.data(volume.directory());
    if (path.equals(own)) {
      return true;
    }
    if (!openSlots.isEmpty() || isSuspect()) {
      return false;
    }
    try {
      if (end.isPresent()) {
        try (DiskFile file = disk.open(path)) {
          file.truncate(end.getAsLong());
        }
      }
      renaming = true;
      Path ownIndex = name.index(volume.directory());
      disk.createDirectories(own.getParent());
      // one that a deletion or an earlier try left over means nothing
      disk.delete(ownIndex);
      disk.link(ownIndex, index.path());
      disk.link(own, path);
      index.rename(ownIndex);
      path = own;
      return true;
    } catch (IOException e) {
      throw failed("cannot name combined file", e);
    }
  }

  private static long roundUp(long size) {
    return (size + PAGE - 1) / PAGE * PAGE;
  }

  /** Once the own names survive a power cut, takes the others away; with the lock held. */
  void dropBlankNames() throws IOException {
    // whoever forces may just have looked up the old name
    forcing.lock();
    try {
      deleteBlankNames();
    } finally {
      forcing.unlock();
    }
  }

  private void deleteBlankNames() throws IOException {
    if (blank.isPresent()) {
      volume.removedNames().onBlankRemoval();
      disk.delete(blank.get().data());
      disk.delete(blank.get().index());
      blank = Optional.empty();
    }
  }

  /** The names of blank files do not come back any more. */
  void onRenamed() {
    renaming = false;
  }

  private void removeFiles(IOException cause) {
    if (blank.isPresent()) {
      volume.removedNames().onBlankRemoval();
    }
    try {
      disk.delete(index.path());
      disk.delete(path);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Notes a slot that was found when the file was loaded. */
  void addSlot(int slot, long block) {
    setBlock(slot, block);
  }

  /** Notes a slot that must not be used again though nothing in it counts. */
  void addUnusable(int slot) {
    setBlock(slot, -1);
  }

  /** Notes that the index file has fences of these groups. */
  void addFences(Set<Integer> groups) {
    fencedGroups.addAll(groups);
  }

  /** Notes that both files are known to survive a power cut by name. */
  void setNamesForced() {
    namesForced = true;
  }

  private void setBlock(int slot, long block) {
    if (slot >= blockOfSlot.length) {
      blockOfSlot = Arrays.copyOf(blockOfSlot, Math.max(slot + 1, 2 * blockOfSlot.length));
    }
    for (int skipped = slots; skipped < slot; skipped++) {
      blockOfSlot[skipped] = -1;
    }
    blockOfSlot[slot] = block;
    slots = Math.max(slots, slot + 1);
  }

  /** Slots given out so far, whatever became of them. */
  int slots() {
    return slots;
  }

  /** The blocks that slots were given to, in disk order. */
  LongStream blocks() {
    return Arrays.stream(blockOfSlot, 0, slots).filter(block -> block >= 0);
  }

  /**
   * A slot behind all others.
   *
   * @param sequence of the last footer that the block had, 0 for none
   */
  OpenSlot newSlot(long block, long epoch, long sequence) throws VdfsException {
    hold();
    int slot = slots;
    setBlock(slot, block);
    OpenSlot open = new OpenSlot(this, slot, block, epoch, sequence);
    openSlots.put(slot, open);
    return open;
  }

  /**
   * The slot of a block to go on in, with its state on disk; a crash from now on is prepared for.
   */
  OpenSlot reopen(BlockEntry entry, long epoch) throws VdfsException {
    OpenSlot open = openSlots.get(entry.slot());
    if (open != null) {
      // a step that failed may have left it at another state than readers see
      open.restore(Optional.of(entry));
    } else {
      hold();
      open = readSlot(entry);
      appendToIndex(new IndexRecord.Reopened(entry.slot()), true);
      openSlots.put(entry.slot(), open);
    }
    open.reopen(epoch);
    return open;
  }

  /** Whether a footer can be added to a slot without preparing for a crash. */
  boolean isOpen(OpenSlot slot) {
    return openSlots.get(slot.slot()) == slot;
  }

  /** Takes note that another slot has the block of this one now. */
  void retire(int slot) {
    OpenSlot open = openSlots.get(slot);
    if (open != null) {
      open.retire();
    }
  }

  /** Slots with bytes whose last footer a full disk refused. */
  List<OpenSlot> lackingFooters() {
    return openSlots.values().stream().filter(OpenSlot::lacksFooter).toList();
  }

  private OpenSlot readSlot(BlockEntry entry) throws VdfsException {
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      ByteBuffer bytes = ByteBuffer.allocate(layout().footerSize());
      try {
        DiskTransfer.readUpTo(lease.file(), bytes, layout().footerOffset(entry.slot(), copy));
      } catch (IOException e) {
        throw failed("cannot read footer", e);
      }
      bytes.flip();
      if (BlockFooter.problemWith(bytes, header).isEmpty()) {
        BlockFooter footer = BlockFooter.decode(bytes, header);
        if (footer.slot() == entry.slot() && footer.sequence() == entry.sequence()) {
          return OpenSlot.of(this, footer, copy);
        }
      }
    }
    throw new VdfsException(
        ErrorCode.CORRUPT,
        "no footer fits the index: file="
            + path
            + ", slot="
            + entry.slot()
            + ", sequence="
            + entry.sequence());
  }

  private void hold() throws VdfsException {
    if (lease == null) {
      lease = volume.openFiles().lease(this);
    }
  }

  /** Writes all of {@code source}; for slots of this file. */
  void write(ByteBuffer source, long position) throws VdfsException {
    checkHealthy();
    hold();
    int bytes = source.remaining();
    try {
      DiskTransfer.writeFully(lease.file(), padded(source, position), position);
    } catch (IOException e) {
      throw failed("cannot write", e);
    }
    bytesSinceForce += bytes;
    counters.add(StoreCounter.WRITTEN_BYTES, bytes);
  }

  /**
   * The first bytes and the first footer in a blank file as whole pages, since its pages are not in
   * memory and parts of them would have to be read first. What is added are the zeros there.
   */
  private ByteBuffer padded(ByteBuffer source, long position) {
    boolean first =
        (!hasData && position == layout().dataOffset(0))
            || (!hasFooter && position == layout().footerOffset(0, 0));
    hasData |= position >= layout().dataOffset(0);
    hasFooter |= position < layout().dataOffset(0);
    int size = (int) roundUp(source.remaining());
    if (!first || blank.isEmpty() || position + size > blank.get().size()) {
      return source;
    }
    return ByteBuffer.allocate(size).put(source).rewind();
  }

  /** Sets room aside for data; footers may use the reserve. */
  void claim(int bytes) throws VdfsException {
    volume.claim(bytes);
  }

  /** Makes the bytes written so far durable, with the lock held: for rare cases only. */
  void forceBytes() throws VdfsException {
    hold();
    forcing.lock();
    try {
      checkHealthy();
      lease.file().force();
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      onForceError(e);
      throw failed("cannot force", e);
    } catch (RuntimeException | Error e) {
      onForceError(e);
      throw e;
    } finally {
      forcing.unlock();
    }
  }

  /** Whatever is to blame, a full disk or a defect, nobody knows what is on the disk now. */
  private void onForceError(Throwable cause) {
    if (!(cause instanceof ClosedChannelException)) {
      markSuspect("a force failed: file=" + path + ", cause=" + cause);
    }
  }

  /** Fills {@code target} from {@code position}. */
  void read(ByteBuffer target, long position) throws VdfsException {
    try (OpenFiles.Lease reading = volume.openFiles().lease(this)) {
      DiskTransfer.readFully(reading.file(), target, position);
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw StoreErrors.of("cannot read", volume.directory(), path, e);
    }
  }

  /**
   * Fills {@code target} from {@code position} as far as the file goes.
   *
   * @return how many bytes there were
   */
  int readUpTo(ByteBuffer target, long position) throws VdfsException {
    int before = target.remaining();
    try (OpenFiles.Lease reading = volume.openFiles().lease(this)) {
      DiskTransfer.readUpTo(reading.file(), target, position);
      return before - target.remaining();
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw StoreErrors.of("cannot read", volume.directory(), path, e);
    }
  }

  /** Whether the page cache very likely has these bytes; false if the file is not open. */
  boolean isCached(long position, long length) {
    Optional<OpenFiles.Lease> open = volume.openFiles().leaseIfOpen(this);
    if (open.isEmpty()) {
      return false;
    }
    try (OpenFiles.Lease looking = open.get()) {
      return looking.file().isCached(position, length);
    }
  }

  /**
   * @param force whether to return only when the record survives a power cut
   */
  void appendToIndex(IndexRecord record, boolean force) throws VdfsException {
    if (record instanceof IndexRecord.Fence fence) {
      fencedGroups.add(fence.group());
    }
    compactIndexIfDue();
    try {
      index.append(List.of(record));
    } catch (IOException e) {
      throw failed("cannot append to index file", e);
    }
    if (force) {
      forceIndex();
    }
  }

  private void compactIndexIfDue() throws VdfsException {
    if (renaming) {
      // a name that comes back in a power cut must be of the same file
      return;
    }
    try {
      index.compactIfDue(slots, fencedGroups.size());
    } catch (IOException e) {
      throw failed("cannot make the index file anew", e);
    } catch (RuntimeException | Error e) {
      // one of two files has the name, and nobody knows which
      markSuspect("cannot make the index file anew: file=" + path + ", cause=" + e);
      throw e;
    }
  }

  private void forceIndex() throws VdfsException {
    forcing.lock();
    try {
      checkHealthy();
      index.force();
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      onForceError(e);
      throw failed("cannot force index file", e);
    } finally {
      forcing.unlock();
    }
  }

  /** The next force takes the index file along. */
  void forceIndexNext() {
    indexUnforced = true;
  }

  /** Bytes written since a force last began. */
  long bytesSinceForce() {
    return bytesSinceForce;
  }

  /** Whether a force would make something durable that is not known to be. */
  boolean needsForce() {
    return !namesForced
        || indexUnforced
        || bytesSinceForce > 0
        || openSlots.values().stream().anyMatch(slot -> slot.needsForce() || slot.isFinished());
  }

  /** What a force that begins now will cover. */
  List<OpenSlot.Mark> marks() {
    bytesSinceForce = 0;
    indexUnforced = false;
    List<OpenSlot.Mark> marks = new ArrayList<>();
    for (OpenSlot slot : openSlots.values()) {
      if (slot.needsForce()) {
        marks.add(slot.mark());
      }
    }
    return marks;
  }

  /**
   * Makes durable what was written before the call: bytes, then names, then fences. Without the
   * lock, but with the file leased.
   */
  void force(OpenFiles.Lease leased, boolean withIndex) throws VdfsException {
    forcing.lock();
    try {
      checkHealthy();
      leased.file().force();
      if (withIndex) {
        index.force();
      }
      if (!namesForced) {
        volume.forceNames(path.getParent());
        namesForced = true;
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      if (deleted) {
        throw new VdfsException(ErrorCode.NOT_FOUND, "combined file was deleted: file=" + path, e);
      }
      onForceError(e);
      throw failedUnlocked("cannot force", e);
    } catch (RuntimeException | Error e) {
      onForceError(e);
      throw e;
    } finally {
      forcing.unlock();
    }
  }

  /** Makes both files survive a power cut by name, with the lock held: for rare cases only. */
  void forceNames() throws VdfsException {
    if (!namesForced) {
      try {
        volume.forceNames(path.getParent());
      } catch (IOException e) {
        onForceError(e);
        throw failed("cannot force", e);
      }
      namesForced = true;
    }
  }

  /** Takes note of a force that did not come through. */
  void onForceFailed(boolean withIndex) {
    indexUnforced |= withIndex;
  }

  /** Takes note of a force, and lets go of slots that are done. */
  void onForced(List<OpenSlot.Mark> marks) throws VdfsException {
    marks.forEach(mark -> mark.slot().onForced(mark));
    List<IndexRecord> settled = new ArrayList<>();
    for (OpenSlot slot : openSlots.values()) {
      if (slot.isSettled()) {
        slot.lastFooter().map(IndexRecord.Settled::new).ifPresent(settled::add);
      }
    }
    if (!settled.isEmpty() && !deleted) {
      recordSettled(settled);
    }
    openSlots.values().removeIf(OpenSlot::isSettled);
    if (openSlots.isEmpty()) {
      release();
    }
  }

  private void recordSettled(List<IndexRecord> settled) throws VdfsException {
    try {
      index.append(settled);
    } catch (DiskFullException e) {
      // a record only saves work: without it the next start verifies the block once more
      counters.increment(StoreCounter.FAILED_WRITES);
    } catch (IOException e) {
      throw failed("cannot append to index file", e);
    }
  }

  private void release() {
    if (lease != null) {
      lease.close();
      lease = null;
    }
  }

  boolean isIndexUnforced() {
    return indexUnforced;
  }

  /** Fails if bytes of this file can no longer be vouched for. */
  void checkHealthy() throws VdfsException {
    if (suspect != null) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "combined file is suspect: volume="
              + volume.directory()
              + ", file="
              + path
              + ", why="
              + suspect);
    }
  }

  /** Turns a failure into what the caller is told, and draws the consequences. */
  private VdfsException failed(String what, IOException cause) {
    if (cause instanceof ClosedChannelException) {
      release();
    }
    return failedUnlocked(what, cause);
  }

  private VdfsException failedUnlocked(String what, IOException cause) {
    counters.increment(StoreCounter.FAILED_WRITES);
    if (cause instanceof ClosedChannelException) {
      // an interrupt closed the channel under us; the disk is not to blame
      volume.openFiles().forget(this);
    } else if (!(cause instanceof DiskFullException)) {
      markSuspect(what + ": file=" + path + ", cause=" + cause.getMessage());
    }
    return StoreErrors.of(what, volume.directory(), path, cause);
  }

  /** Takes no more bytes here until the daemon restarts and looks what is on the disk. */
  void markSuspect(String why) {
    if (suspect == null) {
      suspect = why;
    }
    volume.markSuspect(why);
  }

  /**
   * Removes both files; to be tried again if it fails. The data file goes first: an index file
   * alone is nothing.
   */
  void delete() throws VdfsException {
    deleted = true;
    openSlots.clear();
    release();
    volume.openFiles().forget(this);
    volume.removedNames().onRemoval(key());
    try {
      if (blank.isPresent()) {
        volume.removedNames().onBlankRemoval();
      }
      disk.delete(path);
      disk.delete(index.path());
      deleteBlankNames();
    } catch (IOException e) {
      throw StoreErrors.of("cannot delete", volume.directory(), path, e);
    }
  }
}

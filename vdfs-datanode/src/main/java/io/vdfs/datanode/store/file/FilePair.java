package io.vdfs.datanode.store.file;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskRefusalException;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.disk.TooManyOpenFilesException;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.FileToOpen;
import io.vdfs.datanode.store.volume.OpenFiles;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.StoreErrors;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The two files on disk behind a {@link CombinedFile}, one of data and its index file: their names,
 * what is written, read and forced, and whether they can still be trusted. Guarded by the guard of
 * the stored file, except for the final and volatile fields.
 */
public final class FilePair implements FileToOpen {
  private final Volume volume;
  private final CombinedFileHeader header;
  private final CombinedFileName name;
  private final Disk disk;
  private final StoreCounters counters;
  private final IndexFile index;
  private OpenFiles.Lease lease;
  private final AtomicLong bytesSinceForce = new AtomicLong();
  private boolean indexUnforced;

  private final BlankPages pages;

  /**
   * Held while the disk forces something of this file. A disk that fails may say so to one caller
   * only: the others wait here for that caller's outcome. Taken last, with or without the guard.
   */
  private final ReentrantLock forcing = new ReentrantLock();

  /** The pair of blank files that this one was made in, while it may have their names. */
  private Optional<BlankFiles.Blank> blank = Optional.empty();

  private volatile Path path;

  /** Whether a power cut may bring back the names of blank files, beside the own ones. */
  private volatile boolean renaming;

  /**
   * False for files found at a start: the process that made them may have died before it forced
   * them.
   */
  private volatile boolean namesForced;

  private volatile boolean deleted;
  private volatile String suspect;

  /**
   * @param indexEnd size of the index file, 0 if there is none
   */
  FilePair(StoreContext context, Volume volume, FileKey key, BlockRole role, long indexEnd) {
    this.volume = volume;
    this.disk = context.disk();
    this.counters = context.counters();
    this.header = context.dataHeader(volume.uuid(), key, role);
    this.pages = new BlankPages(header.layout());
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

  public Volume volume() {
    return volume;
  }

  @Override
  public CombinedFileHeader header() {
    return header;
  }

  public CombinedFileLayout layout() {
    return header.layout();
  }

  public FileKey key() {
    return header.key();
  }

  public BlockRole role() {
    return header.role();
  }

  @Override
  public Path path() {
    return path;
  }

  public IndexFile index() {
    return index;
  }

  @Override
  public boolean isDeleted() {
    return deleted;
  }

  public boolean isSuspect() {
    return suspect != null || volume.isSuspect();
  }

  /** Makes both files, with their headers; nothing is durable yet. Leaves no new one on failure. */
  public void create() throws VdfsException {
    volume.claim(2L * CombinedFileHeader.SIZE);
    boolean made = false;
    try {
      disk.createDirectories(path.getParent());
      if (!disk.exists(path)) {
        // what a deletion left behind must not seem to be of the new file
        disk.delete(index.path());
      }
      try (DiskFile file = disk.create(path)) {
        made = true;
        DiskTransfer.writeFully(file, header.encode(), 0);
      }
      index.create();
    } catch (FileAlreadyExistsException e) {
      throw inTheWay();
    } catch (IOException e) {
      removeMade(made, e);
      throw failed("cannot create combined file", e);
    }
  }

  private VdfsException inTheWay() {
    return new VdfsException(
        ErrorCode.IO_ERROR,
        ("a combined file that was not loaded is in the way: volume=%s, file=%s; see the"
                + " log of the start, then restart or remove it")
            .formatted(volume.directory(), path));
  }

  /**
   * As {@link #create}, in files that were made ahead and whose names survive a power cut. No file
   * has this one's own name, nor can one come back, of which {@link BlankFiles#take} makes sure.
   */
  public void createIn(BlankFiles.Blank files) throws VdfsException {
    try (DiskFile file = files.open()) {
      if (disk.exists(path)) {
        throw inTheWay();
      }
      stayIn(files);
      DiskTransfer.writeFully(file, header.encode(), 0);
      index.createIn();
      namesForced = true;
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      removeMade(false, e);
      throw failed("cannot use blank file", e);
    }
  }

  /** The names are those of blank files; they get their own ones later. */
  public void stayIn(BlankFiles.Blank files) {
    path = files.data();
    index.rename(files.index());
    blank = Optional.of(files);
  }

  private void removeMade(boolean ownNames, IOException cause) {
    try {
      if (ownNames) {
        disk.delete(index.path());
        disk.delete(path);
        volume.removedNames().onRemoval(key());
      }
      deleteBlankNames();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  /** Whether the files have names of their own, not those of blank files. */
  public boolean hasOwnNames() {
    return path.equals(name.data(volume.directory()));
  }

  /**
   * Gives both files their own names, too, and gives up room that is not used. Nothing is being
   * written.
   *
   * @param end of what is held in the only slot; empty if there are more slots
   */
  void linkOwnNames(OptionalLong end) throws VdfsException {
    Path own = name.data(volume.directory());
    try {
      if (end.isPresent()) {
        try (DiskFile file = disk.open(path)) {
          file.truncate(end.getAsLong());
        }
      }
      renaming = true;
      Path ownIndex = name.index(volume.directory());
      disk.createDirectories(own.getParent());
      // an index file that a deletion or an earlier try left behind means nothing
      disk.delete(ownIndex);
      disk.link(ownIndex, index.path());
      disk.link(own, path);
      index.rename(ownIndex);
      path = own;
    } catch (IOException e) {
      throw failed("cannot name combined file", e);
    }
  }

  /** Removes the names of the blank files, once the own names survive a power cut. */
  public void dropBlankNames() throws IOException {
    // a thread that forces may just have looked up the old name
    forcing.lock();
    try {
      deleteBlankNames();
    } finally {
      forcing.unlock();
    }
  }

  private void deleteBlankNames() throws IOException {
    if (blank.isPresent()) {
      disk.delete(blank.get().data());
      disk.delete(blank.get().index());
      volume.removedNames().onBlankRemoval(key());
      blank = Optional.empty();
    }
  }

  /** The names of blank files do not come back any more. Any thread. */
  public void onRenamed() {
    renaming = false;
  }

  /** Keeps the data file open until {@link #release}: what fails to be written is then noticed. */
  void hold() throws VdfsException {
    if (lease == null) {
      lease = volume.openFiles().lease(this);
    }
  }

  /** Lets go of the data file; a second call does nothing. */
  void release() {
    if (lease != null) {
      lease.close();
      lease = null;
    }
  }

  /** Sets room aside for data; footers may use the reserve. */
  void claim(int bytes) throws VdfsException {
    volume.claim(bytes);
  }

  /** Writes all of {@code source}, and keeps the file open. */
  void write(ByteBuffer source, long position) throws VdfsException {
    checkHealthy();
    hold();
    int bytes = source.remaining();
    try {
      DiskTransfer.writeFully(
          lease.file(),
          pages.padded(source, position, blank.map(BlankFiles.Blank::size).orElse(0)),
          position);
    } catch (IOException e) {
      throw failed("cannot write", e);
    }
    bytesSinceForce.addAndGet(bytes);
    counters.add(StoreCounter.WRITTEN_BYTES, bytes);
  }

  /** As {@link #readUpTo}, of a file that is held open for writing: with the guard held. */
  void readHeld(ByteBuffer target, long position) throws VdfsException {
    try {
      DiskTransfer.readUpTo(lease.file(), target, position);
    } catch (IOException e) {
      throw failed("cannot read footer", e);
    }
  }

  /** Fills {@code target} from {@code position}. Any thread. */
  public void read(ByteBuffer target, long position) throws VdfsException {
    try (OpenFiles.Lease reading = volume.openFiles().lease(this)) {
      DiskTransfer.readFully(reading.file(), target, position);
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw StoreErrors.of("cannot read", volume.directory(), path, e);
    }
  }

  /**
   * Fills {@code target} from {@code position} as far as the file goes. Any thread.
   *
   * @return how many bytes there were
   */
  public int readUpTo(ByteBuffer target, long position) throws VdfsException {
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

  /** Gives the room of bytes back that count no more. */
  void deallocate(long position, long length) throws IOException {
    try (OpenFiles.Lease open = volume.openFiles().lease(this)) {
      open.file().deallocate(position, length);
    }
  }

  /** Whether the page cache very likely has these bytes; false if the file is not open. */
  public boolean isCached(long position, long length) {
    Optional<OpenFiles.Lease> open = volume.openFiles().leaseIfOpen(this);
    if (open.isEmpty()) {
      return false;
    }
    try (OpenFiles.Lease looking = open.get()) {
      return looking.file().isCached(position, length);
    }
  }

  /**
   * Writes a record behind those of the index file, which is made anew first where it is due.
   *
   * @param slots given out in the combined file
   * @param fences groups with a fence
   * @param force whether to return only when the record survives a power cut
   */
  void appendToIndex(IndexRecord record, int slots, int fences, boolean force)
      throws VdfsException {
    compactIndexIfDue(slots, fences);
    try {
      index.append(List.of(record));
    } catch (IOException e) {
      throw failed("cannot append to index file", e);
    }
    if (force) {
      forceIndex();
    }
  }

  private void compactIndexIfDue(int slots, int fences) throws VdfsException {
    if (renaming) {
      // a name that comes back in a power cut must be of the same file
      return;
    }
    try {
      index.compactIfDue(slots, fences);
    } catch (IOException e) {
      throw failed("cannot make the index file anew", e);
    } catch (RuntimeException | Error e) {
      // one of two files has the name, and it is not known which
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

  /** Notes in the index file what is on stable storage, where it has room for that. */
  void recordSettled(List<IndexRecord> settled) throws VdfsException {
    try {
      index.append(settled);
    } catch (DiskRefusalException e) {
      // a record only saves work: without it the next start verifies the block once more
      counters.increment(StoreCounter.FAILED_WRITES);
    } catch (IOException e) {
      throw failed("cannot append to index file", e);
    }
  }

  /** Makes the bytes written so far durable, with the guard held: for rare cases only. */
  public void forceBytes() throws VdfsException {
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

  /** It is not known what is on the disk now, unless what was to be forced was not opened. */
  private void onForceError(Throwable cause) {
    if (!(cause instanceof ClosedChannelException || cause instanceof TooManyOpenFilesException)) {
      markSuspect("a force failed: file=" + path + ", cause=" + cause);
    }
  }

  /** The next force takes the index file along. */
  public void forceIndexNext() {
    indexUnforced = true;
  }

  /** Bytes written since a force last began. Any thread. */
  public long bytesSinceForce() {
    return bytesSinceForce.get();
  }

  /** Whether a force would make something durable that is not known to be. */
  boolean needsForce() {
    return !namesForced || indexUnforced || bytesSinceForce.get() > 0;
  }

  /**
   * The data for a force that is about to begin.
   *
   * @param open the data file, open until the force ends
   * @param withIndex whether it takes the index file along
   * @param bytes of the data file that were written since the force before
   */
  public record Force(OpenFiles.Lease open, boolean withIndex, long bytes) {}

  /** A force is to begin that covers all written so far. */
  Force beginForce() throws VdfsException {
    OpenFiles.Lease open = volume.openFiles().lease(this);
    Force begun = new Force(open, indexUnforced, bytesSinceForce.getAndSet(0));
    indexUnforced = false;
    return begun;
  }

  /**
   * Makes durable what was written before the force was begun: bytes, then fences, then names.
   * Without the guard.
   */
  public void force(Force begun) throws VdfsException {
    forcing.lock();
    try {
      checkHealthy();
      begun.open().file().force();
      if (begun.withIndex()) {
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

  /** Takes note of a force that did not come through. */
  public void onForceFailed(Force begun) {
    indexUnforced |= begun.withIndex();
  }

  /** Makes both files survive a power cut by name, with the guard held: for rare cases only. */
  public void forceNames() throws VdfsException {
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

  /** Fails if bytes of this file can no longer be trusted. */
  public void checkHealthy() throws VdfsException {
    if (suspect != null) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "combined file is suspect: volume=%s, file=%s, why=%s"
              .formatted(volume.directory(), path, suspect));
    }
  }

  /**
   * Turns a failure into the exception for the caller, and marks the file as suspect where it has
   * to be.
   */
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
    } else if (!(cause instanceof DiskRefusalException)) {
      markSuspect(what + ": file=" + path + ", cause=" + cause.getMessage());
    }
    return StoreErrors.of(what, volume.directory(), path, cause);
  }

  /** Takes no more bytes here until the daemon restarts and checks what is on the disk. */
  public void markSuspect(String why) {
    if (suspect == null) {
      suspect = why;
    }
    volume.markSuspect(why);
  }

  /**
   * Gives both files names among the volume's garbage, too; they have their own names and are not
   * written to any more.
   *
   * @param second since 1970
   * @return bytes of the data file
   */
  long keep(long second) throws VdfsException {
    try {
      return volume.garbage().keep(path, index.path(), second);
    } catch (IOException e) {
      throw StoreErrors.of("cannot keep as garbage", volume.directory(), path, e);
    }
  }

  /**
   * Removes both files; to be tried again if it fails. The data file goes first: an index file
   * alone means nothing.
   */
  void delete() throws VdfsException {
    deleted = true;
    release();
    volume.openFiles().forget(this);
    try {
      deleteBlankNames();
      disk.delete(path);
      disk.delete(index.path());
      volume.removedNames().onRemoval(key());
    } catch (IOException e) {
      throw StoreErrors.of("cannot delete", volume.directory(), path, e);
    }
  }
}

package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.status.GarbageUsage;
import io.vdfs.datanode.store.status.VolumeUsage;
import io.vdfs.datanode.store.turns.TurnGate;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One disk of the node: its room, its health, its open files and its threads. Thread-safe.
 *
 * <p>A volume on which a write or force failed is suspect until the daemon restarts: it takes no
 * new groups, and what it serves is verified.
 */
public final class Volume implements BlankFiles.Home {
  private static final Logger LOG = LoggerFactory.getLogger(Volume.class);
  private static final long CREDIT_STEP = 16L << 20;

  private final int number;
  private final VolumeDirectory directory;
  private final Disk disk;
  private final long reserveBytes;
  private final long roomForGroup;
  private final OpenFiles openFiles;
  private final WriteBack writeBack;
  private final RemovedNames removedNames;
  private final BlankFiles blanks;
  private final GarbageDirectory garbage;
  private final TurnGate gate;
  private final AtomicReference<String> suspect = new AtomicReference<>();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicLong credit = new AtomicLong();
  private final AtomicReference<RemovalMark> markWritten = new AtomicReference<>(RemovalMark.NONE);

  /** Directories whose own names are known to survive a power cut. */
  private final Set<Path> forcedDirectories = ConcurrentHashMap.newKeySet();

  public Volume(int number, VolumeDirectory directory, StoreContext context) {
    this.number = number;
    this.directory = directory;
    this.disk = context.disk();
    this.reserveBytes = context.config().reserveBytes();
    this.roomForGroup = context.config().roomForGroup();
    this.openFiles =
        new OpenFiles(
            disk, directory.directory(), context.config().maxOpenFiles(), context.counters());
    this.removedNames = new RemovedNames(disk, directory.directory());
    this.gate =
        new TurnGate(TurnGate.Limits.of(context.config().writePatience()), context.counters());
    this.blanks = new BlankFiles(context, this);
    this.garbage = new GarbageDirectory(disk, directory.directory());
    this.writeBack =
        new WriteBack("vdfs-write-back-" + number, gate, context.counters(), blanks::renew);
  }

  public int number() {
    return number;
  }

  @Override
  public Path directory() {
    return directory.directory();
  }

  public UUID uuid() {
    return directory.volume();
  }

  public boolean isFresh() {
    return directory.fresh();
  }

  public OpenFiles openFiles() {
    return openFiles;
  }

  public WriteBack writeBack() {
    return writeBack;
  }

  public TurnGate gate() {
    return gate;
  }

  public BlankFiles blanks() {
    return blanks;
  }

  public GarbageDirectory garbage() {
    return garbage;
  }

  /**
   * Removes garbage that came before a second, and more where the volume has no room for new groups
   * otherwise.
   *
   * @param before seconds since 1970
   * @return what is left
   */
  public GarbageUsage purgeGarbage(long before) throws VdfsException {
    try {
      return garbage.purge(before, () -> !isSuspect() && !acceptsGroup());
    } catch (IOException e) {
      throw StoreErrors.of("cannot remove garbage", directory(), directory(), e);
    }
  }

  @Override
  public boolean mayComeBack(FileKey file) {
    return removedNames.mayComeBack(file);
  }

  @Override
  public void requestBlanks() {
    writeBack.requestChore();
  }

  public RemovedNames removedNames() {
    return removedNames;
  }

  /** Up to where the node had removed files before it started; empty if that can't be read. */
  public Optional<RemovalMark> removalMark() {
    try {
      return Optional.of(RemovalMark.read(disk, directory()));
    } catch (IOException e) {
      LOG.warn("which files were removed is not known: directory={}", directory(), e);
      return Optional.empty();
    }
  }

  /**
   * Makes removals durable.
   *
   * @param reached up to where files were removed
   */
  public void forceRemovals(RemovalMark reached) throws VdfsException {
    try {
      removedNames.force();
      if (!reached.equals(markWritten.get())) {
        reached.write(disk, directory());
        markWritten.set(reached);
      }
    } catch (IOException e) {
      throw StoreErrors.of("cannot force removals", directory(), directory(), e);
    }
  }

  /** Starts the background thread. */
  public void start(ThreadingMode threading) {
    if (threading == ThreadingMode.OWN_THREADS) {
      writeBack.start();
    }
  }

  @Override
  public void markSuspect(String why) {
    if (suspect.compareAndSet(null, why)) {
      LOG.error("volume is suspect: directory={}, why={}", directory(), why);
    }
  }

  public boolean isSuspect() {
    return suspect.get() != null;
  }

  /**
   * Whether a new group may be put here; the log says when that changes. A disk that does not even
   * answer is suspect.
   */
  @Override
  public boolean acceptsGroup() {
    try {
      long free = free();
      boolean roomy = free >= roomForGroup;
      if (full.compareAndSet(roomy, !roomy)) {
        logRoom(roomy, free);
      }
      return roomy && !isSuspect();
    } catch (VdfsException e) {
      markSuspect(e.getMessage());
      return false;
    }
  }

  long roomForGroup() {
    return roomForGroup;
  }

  private void logRoom(boolean roomy, long free) {
    if (roomy) {
      LOG.info("volume has room again: directory={}, free={}", directory(), free);
    } else {
      LOG.warn(
          "volume is full and takes no new blocks: directory={}, free={}, needed={}, reserve={};"
              + " free space there or lower vdfs.volume.reserve",
          directory(),
          free,
          roomForGroup,
          reserveBytes);
    }
  }

  /**
   * Sets room aside for a write. Room that other processes take in the meantime shows when the disk
   * itself says that it is full.
   *
   * @throws VdfsException NO_SPACE if only the reserve would be left
   */
  public void claim(long bytes) throws VdfsException {
    if (credit.addAndGet(-bytes) >= 0) {
      return;
    }
    long free = free();
    if (free < bytes) {
      credit.set(0);
      throw new VdfsException(
          ErrorCode.NO_SPACE,
          "volume is full: volume=%s, free=%s, needed=%s, reserve=%s"
              .formatted(directory(), free, bytes, reserveBytes));
    }
    credit.set(Math.min(free, CREDIT_STEP) - bytes);
  }

  private long free() throws VdfsException {
    try {
      return Math.max(0, disk.usable(directory()) - reserveBytes);
    } catch (IOException e) {
      throw StoreErrors.of("cannot ask for free space", directory(), directory(), e);
    }
  }

  /**
   * Returns when the names in a directory of blocks, and the directories from the volume down to
   * it, survive a power cut. Directories are never removed, so each one's own name is forced once.
   */
  @Override
  public void forceNames(Path leaf) throws IOException {
    removedNames.forceDirectory(leaf);
    for (Path at = leaf; !at.equals(directory()); at = at.getParent()) {
      if (!forcedDirectories.contains(at)) {
        disk.forceDirectory(at.getParent());
        forcedDirectories.add(at);
      }
    }
  }

  /** Room on the disk; none, and suspect, if the disk does not answer. */
  public VolumeUsage usage() {
    try {
      long capacity = disk.capacity(directory());
      long free = free();
      return new VolumeUsage(
          directory(),
          uuid(),
          capacity,
          capacity - disk.usable(directory()),
          free,
          free >= roomForGroup,
          Optional.ofNullable(suspect.get()));
    } catch (IOException e) {
      markSuspect("cannot ask for space: cause=" + e);
      return new VolumeUsage(
          directory(), uuid(), 0, 0, 0, false, Optional.ofNullable(suspect.get()));
    }
  }

  /** Stops the background thread, closes the files and gives the directory back. */
  public void close() throws VdfsException {
    writeBack.close();
    blanks.close();
    openFiles.closeAll();
    try {
      directory.lock().close();
    } catch (Exception e) {
      throw new VdfsException(
          ErrorCode.IO_ERROR, "cannot unlock volume: directory=" + directory(), e);
    }
  }
}

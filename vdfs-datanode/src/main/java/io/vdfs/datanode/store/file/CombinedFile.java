package io.vdfs.datanode.store.file;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks of one file on one volume in one role, slot by slot: which were given out, which are
 * being written, and what a force makes durable of them. Its {@link FilePair} brings the bytes to
 * the disk. Guarded by the guard of the stored file.
 */
public final class CombinedFile {
  private static final Logger LOG = LoggerFactory.getLogger(CombinedFile.class);
  private static final int FIRST_SLOTS = 4;

  private final FilePair files;
  private final Map<Integer, OpenSlot> openSlots = new TreeMap<>();
  private final Set<Integer> fencedGroups = new HashSet<>();
  private final BitSet deallocated = new BitSet(); // by this process
  private long[] blockOfSlot = new long[FIRST_SLOTS];
  private int slots;

  /**
   * @param indexEnd size of the index file, 0 if there is none
   */
  public CombinedFile(
      StoreContext context, Volume volume, FileKey key, BlockRole role, long indexEnd) {
    this.files = new FilePair(context, volume, key, role, indexEnd);
  }

  /** The files on disk, which readers use without the guard. */
  public FilePair files() {
    return files;
  }

  public Volume volume() {
    return files.volume();
  }

  public BlockRole role() {
    return files.role();
  }

  /** Notes a slot that was found when the file was loaded. */
  public void addSlot(int slot, long block) {
    setBlock(slot, block);
  }

  /** Notes a slot that must not be used again though nothing in it counts. */
  public void addUnusable(int slot) {
    setBlock(slot, -1);
  }

  /** Notes that the index file has fences of these groups. */
  public void addFences(Set<Integer> groups) {
    fencedGroups.addAll(groups);
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
  public int slots() {
    return slots;
  }

  /** The blocks that slots were given to, in disk order. */
  public LongStream blocks() {
    return Arrays.stream(blockOfSlot, 0, slots).filter(block -> block >= 0);
  }

  /**
   * A slot behind all others.
   *
   * @param sequence of the last footer that the block had, 0 for none
   */
  public OpenSlot newSlot(long block, long epoch, long sequence) throws VdfsException {
    files.hold();
    int slot = slots;
    setBlock(slot, block);
    OpenSlot open = new OpenSlot(files, slot, block, epoch, sequence);
    openSlots.put(slot, open);
    return open;
  }

  /**
   * The slot of a block to go on in, with its state on disk; a crash from now on is prepared for.
   *
   * @param entry of the block, in this file
   * @throws VdfsException INTERNAL, with nothing changed, if the block does not lie in this file;
   *     CORRUPT; IO_ERROR
   */
  public OpenSlot reopen(long block, BlockEntry entry, long epoch) throws VdfsException {
    checkIsHere(block, entry);
    OpenSlot open = openSlots.get(entry.slot());
    if (open != null) {
      // a step that failed may have left it at another state than readers see
      open.restore(Optional.of(entry));
    } else {
      open = reopen(entry);
    }
    open.reopen(epoch);
    return open;
  }

  private OpenSlot reopen(BlockEntry entry) throws VdfsException {
    files.hold();
    try {
      OpenSlot open = readSlot(entry);
      files.appendToIndex(new IndexRecord.Reopened(entry.slot()), slots, fencedGroups.size(), true);
      openSlots.put(entry.slot(), open);
      return open;
    } finally {
      if (openSlots.isEmpty() && !files.needsForce()) {
        files.release();
      }
    }
  }

  /**
   * In another file the slot of that number holds another block, whose bytes would be mistaken for
   * this one's.
   */
  private void checkIsHere(long block, BlockEntry entry) throws VdfsException {
    long there = entry.slot() < slots ? blockOfSlot[entry.slot()] : -1;
    if (entry.volume() != volume().number() || entry.role() != role() || there != block) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          ("block does not lie in this file: file=%s, block=%s, slot=%s, block of the slot"
                  + " here=%s, volume=%s, volume here=%s, role=%s, role here=%s")
              .formatted(
                  files.path(),
                  block,
                  entry.slot(),
                  there,
                  entry.volume(),
                  volume().number(),
                  entry.role(),
                  role()));
    }
  }

  private OpenSlot readSlot(BlockEntry entry) throws VdfsException {
    CombinedFileLayout layout = files.layout();
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      ByteBuffer bytes = ByteBuffer.allocate(layout.footerSize());
      files.readHeld(bytes, layout.footerOffset(entry.slot(), copy));
      bytes.flip();
      if (BlockFooter.problemWith(bytes, files.header()).isEmpty()) {
        BlockFooter footer = BlockFooter.decode(bytes, files.header());
        if (footer.slot() == entry.slot() && footer.sequence() == entry.sequence()) {
          return OpenSlot.of(files, footer, copy);
        }
      }
    }
    throw new VdfsException(
        ErrorCode.CORRUPT,
        "no footer fits the index: file=%s, slot=%s, sequence=%s"
            .formatted(files.path(), entry.slot(), entry.sequence()));
  }

  /** Whether a footer can be added to a slot without preparing for a crash. */
  public boolean isOpen(OpenSlot slot) {
    return openSlots.get(slot.slot()) == slot;
  }

  /** Takes note that another slot has the block of this one now. */
  public void retire(int slot) {
    OpenSlot open = openSlots.get(slot);
    if (open != null) {
      open.retire();
    }
  }

  /** Whether a slot is not being written and does not wait for a force. */
  public boolean isAtRest(int slot) {
    return !openSlots.containsKey(slot) && !files.isSuspect();
  }

  /** The block that a slot was given to; empty where nothing in it counts. */
  public OptionalLong blockOf(int slot) {
    return blockOfSlot[slot] < 0 ? OptionalLong.empty() : OptionalLong.of(blockOfSlot[slot]);
  }

  /**
   * Gives the room for a block's bytes back, but for its footers; does nothing the second time.
   *
   * @return bytes of room
   * @throws IOException if the filesystem can't do so, or failed
   */
  public long deallocate(int slot) throws IOException {
    if (deallocated.get(slot)) {
      return 0;
    }
    files.deallocate(files.layout().dataOffset(slot), files.layout().blockSize());
    deallocated.set(slot);
    return files.layout().blockSize();
  }

  /** Slots with bytes whose last footer a full disk refused. */
  public List<OpenSlot> lackingFooters() {
    return openSlots.values().stream().filter(OpenSlot::lacksFooter).toList();
  }

  /**
   * Records that writers of a group below an epoch are refused.
   *
   * @param force whether to return only when that survives a power cut
   */
  public void addFence(int group, long epoch, boolean force) throws VdfsException {
    fencedGroups.add(group);
    files.appendToIndex(new IndexRecord.Fence(group, epoch), slots, fencedGroups.size(), force);
  }

  /**
   * Gives the files their own names, too, where they have those of blank files.
   *
   * @param end of what is held in the only slot; empty if there are more slots
   * @return false if something is being written or not durable, or may have been lost
   */
  public boolean linkOwnNames(OptionalLong end) throws VdfsException {
    if (files.isSuspect()) {
      return false;
    }
    if (files.hasOwnNames()) {
      return true;
    }
    if (!openSlots.isEmpty()) {
      return false;
    }
    files.linkOwnNames(end);
    return true;
  }

  /** Whether a force would make something durable that is not known to be. */
  public boolean needsForce() {
    return files.needsForce()
        || openSlots.values().stream().anyMatch(slot -> slot.needsForce() || slot.isFinished());
  }

  /**
   * A force under way.
   *
   * @param marks what it will have made durable of the slots
   */
  public record Force(FilePair.Force files, List<OpenSlot.Mark> marks) {}

  /** A force is to begin that covers all written so far. */
  public Force beginForce() throws VdfsException {
    FilePair.Force begun = files.beginForce();
    List<OpenSlot.Mark> marks = new ArrayList<>();
    for (OpenSlot slot : openSlots.values()) {
      if (slot.needsForce()) {
        marks.add(slot.mark());
      }
    }
    return new Force(begun, marks);
  }

  /** Takes note of a force that came through, and lets go of slots that are done. */
  public void onForced(Force begun) throws VdfsException {
    begun.marks().forEach(mark -> mark.slot().onForced(mark));
    List<IndexRecord> settled = new ArrayList<>();
    for (OpenSlot slot : openSlots.values()) {
      if (slot.isSettled()) {
        slot.lastFooter().map(IndexRecord.Settled::new).ifPresent(settled::add);
      }
    }
    if (!settled.isEmpty() && !files.isDeleted()) {
      files.recordSettled(settled);
    }
    openSlots.values().removeIf(OpenSlot::isSettled);
    if (openSlots.isEmpty()) {
      files.release();
    }
  }

  /**
   * Whether the data file can be opened; the log says why not. If not, nothing waits for a force,
   * as the file would be open. Any thread.
   */
  public boolean opens() throws VdfsException {
    try {
      volume().openFiles().lease(files).close();
      return true;
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.CORRUPT && e.code() != ErrorCode.IO_ERROR) {
        throw e;
      }
      LOG.warn("combined file is left out: {}", e.getMessage());
      return false;
    }
  }

  /** Whether no slot is being written or waits for a force. */
  public boolean isAtRest() {
    return openSlots.isEmpty() && !files.isSuspect();
  }

  /**
   * Gives both files names among the volume's garbage, too.
   *
   * @param second since 1970
   * @return bytes of the data file
   */
  public long keep(long second) throws VdfsException {
    return files.keep(second);
  }

  /** Removes both files; to be tried again if it fails. */
  public void delete() throws VdfsException {
    openSlots.clear();
    files.delete();
  }
}

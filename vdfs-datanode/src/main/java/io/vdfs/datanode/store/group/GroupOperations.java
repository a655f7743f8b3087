package io.vdfs.datanode.store.group;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeChoice;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations on one group of a file: open a writer, fence, truncate. Thread-safe: each operation
 * takes the guard of the stored file for as long as it changes state.
 */
final class GroupOperations {
  private static final Logger LOG = LoggerFactory.getLogger(GroupOperations.class);

  private final StoredFile file;
  private final List<Volume> volumes;
  private final int group;

  GroupOperations(StoredFile file, List<Volume> volumes, int group) {
    this.file = file;
    this.volumes = volumes;
    this.group = group;
  }

  /**
   * @throws VdfsException as {@link BlockStore#openWriter}
   */
  BlockWriter openWriter(BlockRole role, long epoch, long startOffset, LeaseBound lease, long bytes)
      throws VdfsException {
    checkStart(startOffset);
    return file.guard().get(() -> openGuarded(role, epoch, startOffset, lease, bytes));
  }

  private BlockWriter openGuarded(
      BlockRole role, long epoch, long startOffset, LeaseBound lease, long bytes)
      throws VdfsException {
    checkNotRemoved();
    file.checkEpoch(group, epoch);
    endLowerWriter(epoch);
    file.writeLackingFooters(group, file.geometry().groupSize());
    long held = file.countedLength(group, lease);
    if (startOffset > file.groupStart(group) + held) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "node holds less than the writer thinks: file=%s, group=%s, held=%s, start=%s"
              .formatted(file.key(), group, held, startOffset - file.groupStart(group)));
    }
    Set<CombinedFile> holding = file.holding(group, held);
    for (CombinedFile combined : holding) {
      combined.files().checkHealthy();
    }
    CombinedFile combined = partFor(role, held, startOffset == file.groupStart(group) ? bytes : 0);
    combined.files().checkHealthy();
    file.raiseFence(group, epoch, combined, false);
    // drops what an earlier writer left behind the start of the lease, and blocks behind a gap,
    // which a crash in the middle of a cut may have left
    new GroupCut(file, group, epoch).cutTo(held);
    GroupWriter writer = new GroupWriter(file, combined, holding, group, epoch, startOffset);
    file.register(group, writer);
    return writer;
  }

  private void checkNotRemoved() throws VdfsException {
    if (file.isDeleted()) {
      throw RemovedFiles.refusal(file.key());
    }
    if (file.isDiscarded()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "what was held of the file is being discarded; try again: file=" + file.key());
    }
  }

  private void checkStart(long startOffset) throws VdfsException {
    long from = file.groupStart(group);
    long to = from + file.geometry().groupSize();
    if (startOffset < from || startOffset > to || startOffset % file.geometry().chunkSize() != 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          ("a writer starts on a chunk boundary of its group: file=%s, group=%s, start=%s,"
                  + " from=%s, to=%s, chunkSize=%s")
              .formatted(file.key(), group, startOffset, from, to, file.geometry().chunkSize()));
    }
  }

  private void endLowerWriter(long epoch) throws VdfsException {
    Optional<OpenWriter> other = file.writer(group);
    if (other.isEmpty()) {
      return;
    }
    if (other.get().epoch() >= epoch) {
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT,
          "group has a writer: file=%s, group=%s, epoch=%s, writer's epoch=%s"
              .formatted(file.key(), group, epoch, other.get().epoch()));
    }
    other.get().onFenced();
  }

  /** The combined file in which the last block held lies: the next one is read after it. */
  private CombinedFile partFor(BlockRole role, long held, long bytes) throws VdfsException {
    Optional<CombinedFile> known = file.combinedFileOfEnd(group, held);
    return known.isPresent() ? known.get() : file.combinedFileOn(volumeFor(role), role, bytes);
  }

  private Volume volumeFor(BlockRole role) throws VdfsException {
    return VolumeChoice.choose(volumes, file.key(), group, volume -> file.slotsOn(volume, role));
  }

  /**
   * @return the state of the group
   */
  GroupState fence(long epoch) throws VdfsException {
    return file.guard().get(() -> fenceGuarded(epoch));
  }

  private GroupState fenceGuarded(long epoch) throws VdfsException {
    checkNotRemoved();
    file.checkEpoch(group, epoch);
    Optional<OpenWriter> other = file.writer(group);
    if (other.isPresent() && other.get().epoch() < epoch) {
      other.get().onFenced();
    }
    if (!file.isWriting(group)) {
      file.writeOrGiveUpLackingFooters(group);
    }
    for (CombinedFile combined : file.holding(group)) {
      combined.files().checkHealthy();
    }
    CombinedFile combined = partForFence();
    combined.files().checkHealthy();
    file.raiseFence(group, epoch, combined, true);
    combined.files().forceNames();
    return file.state(group);
  }

  /** Forces what is held of the file, and reads what counts of the group back. */
  VerifiedGroup verify(LeaseBound lease, List<Long> marks, ReadPace pace) throws VdfsException {
    new FileSettling(file).settleFor(group);
    return new GroupVerifier(file, group, lease, marks, pace).verify();
  }

  /**
   * @return the copy to be made
   */
  BlockCopy openCopy(BlockRole role, long block, long epoch) throws VdfsException {
    return file.guard().get(() -> openCopyGuarded(role, block, epoch));
  }

  private BlockCopy openCopyGuarded(BlockRole role, long block, long epoch) throws VdfsException {
    checkNotRemoved();
    file.checkEpoch(group, epoch);
    endLowerWriter(epoch);
    CombinedFile combined = partForCopy(role, block);
    combined.files().checkHealthy();
    file.raiseFence(group, epoch, combined, true);
    // bytes that come to count here must not vanish with the file's name
    combined.files().forceNames();
    return SlotCopy.open(file, combined, group, block, epoch);
  }

  /**
   * Where the first block of the group lies that is not on a suspect volume, so that all come to
   * one place; or else on another volume, if there is one that is not suspect. A file that cannot
   * be opened, as its header and footers are damaged, stays as it is: the copy comes to another.
   */
  private CombinedFile partForCopy(BlockRole role, long block) throws VdfsException {
    Optional<CombinedFile> healthy = file.healthyPartOf(group);
    if (healthy.isPresent() && healthy.get().opens()) {
      return healthy.get();
    }
    Optional<CombinedFile> known =
        file.block(block).flatMap(file::combinedFile).or(() -> file.combinedFileOfGroup(group));
    return known.isPresent() && !hasHealthyVolume() ? known.get() : partThatOpens(role);
  }

  /** In the other role where the file of this one is damaged, or was not loaded. */
  private CombinedFile partThatOpens(BlockRole role) throws VdfsException {
    try {
      CombinedFile part = file.combinedFileOn(volumeFor(role), role, 0);
      if (part.opens()) {
        return part;
      }
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.IO_ERROR) {
        throw e;
      }
      LOG.warn("a copy goes to another file: {}", e.getMessage());
    }
    BlockRole other = role == BlockRole.PRIMARY ? BlockRole.REPLICA : BlockRole.PRIMARY;
    return file.combinedFileOn(volumeFor(other), other, 0);
  }

  private boolean hasHealthyVolume() {
    return !volumes.stream().allMatch(Volume::isSuspect);
  }

  private CombinedFile partForFence() throws VdfsException {
    Optional<CombinedFile> known =
        file.healthyPartOf(group)
            .or(() -> file.combinedFileOfGroup(group))
            .or(file::anyHealthyCombinedFile);
    return known.isPresent()
        ? known.get()
        : file.combinedFileOn(volumeFor(BlockRole.REPLICA), BlockRole.REPLICA, 0);
  }

  /**
   * Drops what is held of the group, durably.
   *
   * @return bytes dropped; empty as of {@link BlockStore#discardGroup}
   */
  OptionalLong discard(long epoch) throws VdfsException {
    OptionalLong dropped = file.guard().get(() -> discardGuarded(epoch));
    if (dropped.isPresent()) {
      new FileSettling(file).settleFor(group);
    }
    return dropped;
  }

  private OptionalLong discardGuarded(long epoch) throws VdfsException {
    long held = file.heldLength(group);
    boolean inUse = file.isDiscarded() || file.isWriting(group) || file.isCopying(group);
    if (held == 0 || inUse || file.hasBlocksOnSuspect(group)) {
      return OptionalLong.empty();
    }
    GroupState state = file.state(group);
    // the end of the last writer may have fenced its epoch, and a copy then took the next one
    if (state.fenceEpoch() > epoch + 1) {
      throw new VdfsException(
          ErrorCode.FENCED,
          "bytes of a later writer are not dropped: file=%s, group=%s, epoch=%s, held=%s"
              .formatted(file.key(), group, epoch, state));
    }
    truncateGuarded(0, Math.max(epoch, state.fenceEpoch()));
    return OptionalLong.of(held);
  }

  /**
   * @throws VdfsException as {@link BlockStore#truncateGroup}
   */
  void truncate(long length, long epoch) throws VdfsException {
    file.guard().run(() -> truncateGuarded(length, epoch));
    new FileSettling(file).settleFor(group);
  }

  private void truncateGuarded(long length, long epoch) throws VdfsException {
    checkNotRemoved();
    file.checkEpoch(group, epoch);
    endLowerWriter(epoch);
    long held = file.heldLength(group);
    if (length < 0 || length > held) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "cannot truncate to more than is held: file=%s, group=%s, held=%s, length=%s"
              .formatted(file.key(), group, held, length));
    }
    file.writeLackingFooters(group, length);
    file.raiseFence(group, epoch, partForFence(), true);
    GroupCut cut = new GroupCut(file, group, epoch);
    cut.cutTo(length);
    cut.adoptLast(length);
  }
}

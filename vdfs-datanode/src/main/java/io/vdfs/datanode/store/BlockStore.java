package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.status.GarbageUsage;
import io.vdfs.datanode.store.status.HeldBlocks;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.status.StoreReport;
import io.vdfs.datanode.store.status.VolumeUsage;
import io.vdfs.datanode.store.turns.TurnGate;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The blocks a node keeps. Offsets named {@code offset} are of the user file, lengths of a group
 * count from the group's first byte. Thread-safe; methods block on the disk unless they say
 * otherwise, so never call them on a Netty event loop. The calling thread must not be interrupted
 * while it is in here: that fails the operation.
 *
 * <p>Errors are {@link VdfsException}s: FENCED for an epoch below the highest seen for a group,
 * CORRUPT for bytes on the disk that differ from their checksums, NO_SPACE and IO_ERROR with volume
 * and path. What a failed call should have stored does not count.
 */
public interface BlockStore extends AutoCloseable {
  /** No writer has a later one. */
  long ANY_EPOCH = Integer.MAX_VALUE;

  /**
   * Opens a group of a file for writing. A writer of a lower epoch that is still open is fenced,
   * and copies of blocks of the group that are being made are refused from now on. Bytes that the
   * node holds of the group and that do not count under the writer's lease are cut off first. Other
   * bytes that it holds beyond {@code startOffset} stay visible until this writer sends others in
   * their place, or closes without having sent them (see {@link BlockWriter}).
   *
   * @param role why this node keeps the group; a group that it holds already stays where it is
   * @param startOffset where the first packet begins: on a chunk boundary inside the group, not
   *     behind the end of what counts there
   * @param lease of the writer
   * @param lastDeletion sequence of the last deletion that the metadata knew of when they gave the
   *     epoch out and the file existed: where this node holds nothing of the file and may have
   *     removed it since, the writer has to ask the metadata again
   * @param bytes that are all the writer is going to send, from the start of the group on; 0 where
   *     it does not know. A wrong number costs only time.
   * @throws VdfsException FENCED, also if the file was removed; STALE_TICKET; LEASE_CONFLICT if a
   *     writer of the same epoch is open; FILE_CHANGED if less than {@code startOffset} counts;
   *     INVALID_ARGUMENT; NO_SPACE if no volume has room; IO_ERROR
   */
  BlockWriter openWriter(
      FileKey key,
      BlockRole role,
      long writeEpoch,
      long startOffset,
      int group,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException;

  /** As the other one, for a writer that does not know how many bytes are to come. */
  default BlockWriter openWriter(
      FileKey key,
      BlockRole role,
      long writeEpoch,
      long startOffset,
      int group,
      LeaseBound lease,
      long lastDeletion)
      throws VdfsException {
    return openWriter(key, role, writeEpoch, startOffset, group, lease, lastDeletion, 0);
  }

  /**
   * As the other one, for the first writer of a file that is known to exist: all that is held
   * counts.
   */
  default BlockWriter openWriter(
      FileKey key, BlockRole role, long writeEpoch, long startOffset, int group)
      throws VdfsException {
    return openWriter(key, role, writeEpoch, startOffset, group, LeaseBound.NONE, Long.MAX_VALUE);
  }

  /**
   * Where a block lies, with its checksums; empty if the node holds no byte of it. Never blocks.
   */
  Optional<BlockLocation> locate(FileKey key, long block);

  /**
   * Reads the whole chunks that cover a range of a block, up to what the node holds, as they were
   * when the read was asked for.
   *
   * @param offset first byte wanted, in the block
   * @param length bytes wanted, at least 1
   * @param verify whether to compare the bytes with the checksums here; a reader elsewhere does so
   *     anyway. Blocks of a suspect file are always verified.
   * @return the bytes, to be released by the receiver
   * @throws VdfsException NOT_FOUND (no such block, or shorter than {@code offset}), CORRUPT,
   *     IO_ERROR, or UNAVAILABLE if the store is closed or out of memory
   */
  BlockData read(FileKey key, long block, int offset, int length, boolean verify)
      throws VdfsException;

  /**
   * Reads any bytes of a combined file, so that the page cache of the machine has them.
   *
   * @return how many bytes; fewer than {@code target} takes only at the end of the file
   * @throws VdfsException NOT_FOUND if there is no such file, IO_ERROR
   */
  int readRaw(CombinedFileId file, long position, ByteBuffer target) throws VdfsException;

  /**
   * Whether the page cache very likely has these bytes of a combined file; false where that cannot
   * be told. Never waits for the disk.
   */
  boolean isCached(CombinedFileId file, long position, long length);

  /**
   * The gate at which forces of a volume wait beside its reader, which tells the gate when it
   * reads.
   */
  default TurnGate turnGate(int volume) {
    return TurnGate.open();
  }

  /** What the node holds of a group; of length 0 if nothing. Never blocks. */
  GroupState group(FileKey key, int group);

  /** As the other one, of what counts under a lease. */
  GroupState group(FileKey key, int group, LeaseBound lease);

  /** Whether a writer of the group is open. Never blocks. */
  boolean isWriting(FileKey key, int group);

  /**
   * Refuses from now on, also after a restart, writers of the group below {@code epoch}, and ends
   * one that is open. Quick: nothing is read back, and no bytes are forced.
   *
   * @return the state of the group
   * @throws VdfsException FENCED if a higher epoch was seen
   */
  GroupState fence(FileKey key, int group, long epoch) throws VdfsException;

  /**
   * Forces what is held of a group, and reads back what counts of a group under a lease.
   *
   * @param marks lengths of the group; the block in which one ends also gets a checksum of its
   *     bytes up to there
   */
  VerifiedGroup verify(FileKey key, int group, LeaseBound lease, List<Long> marks, ReadPace pace)
      throws VdfsException;

  /**
   * Begins a copy of a block that another node holds; fences lower epochs. It goes to the volume of
   * the group, or to another one where that is suspect.
   *
   * @param role why this node keeps the block's group, where it holds nothing of it yet
   * @throws VdfsException FENCED; LEASE_CONFLICT if a writer of this epoch is open or a copy of the
   *     block is being made; NO_SPACE; IO_ERROR
   */
  BlockCopy openCopy(FileKey key, BlockRole role, long block, long epoch) throws VdfsException;

  /**
   * Sets the length of a group to at most what the node holds, durably, as of {@code epoch}; fences
   * lower epochs. Bytes that a reader may have been told of are never changed in place.
   *
   * @param length new length of the group
   * @throws VdfsException FENCED; FILE_CHANGED if the node holds fewer bytes than {@code length};
   *     LEASE_CONFLICT if a writer of this epoch is open
   */
  void truncateGroup(FileKey key, int group, long length, long epoch) throws VdfsException;

  /**
   * Drops all that the node holds of a file and fails its writers. Reads under way still finish.
   * From now on, also after a restart, the file is not made again: opening, fencing or truncating
   * it fails with FENCED. Where it is no longer known here whether it was removed, a writer has to
   * show that its epoch is younger than the removal; for other calls the metadata are asked, and if
   * there is no answer, UNAVAILABLE is thrown.
   *
   * @return whether there was anything
   * @throws VdfsException IO_ERROR: to be tried again
   */
  boolean delete(FileKey key) throws VdfsException;

  /**
   * Returns when a power cut can't bring back anything of the files that were deleted before.
   *
   * @param lastDeletion sequence up to which the deletions were tried
   * @throws VdfsException IO_ERROR if it can: to be tried again; also while a volume is not served,
   *     as it is not known what lies there
   */
  void forceRemovals(long lastDeletion) throws VdfsException;

  /**
   * Takes all that the node holds of a file out of use, but keeps it on disk until {@link
   * #purgeGarbage}. Reads under way still finish; a later writer of the file begins anew.
   *
   * @param epoch of the file's last writer; {@link #ANY_EPOCH} for a file that was deleted
   * @param second since 1970, as of which it is kept
   * @return bytes kept; empty, with nothing changed, if nothing is held, something is being written
   *     or waits for a force, or bytes of a later writer are held
   * @throws VdfsException IO_ERROR: to be tried again
   */
  OptionalLong discard(FileKey key, long epoch, long second) throws VdfsException;

  /**
   * Drops what the node holds of a group, durably. The disk gets the room back by {@link
   * #purgeGarbage}, as far as its filesystem can do that. A later copy begins anew.
   *
   * @param epoch of the file's last writer; writers of lower epochs are fenced
   * @param second since 1970
   * @return bytes dropped; empty, with nothing changed, if nothing is held, if the group is being
   *     written or copied, or lies on a suspect volume
   * @throws VdfsException FENCED if bytes of a later writer are held; CORRUPT if it is damaged;
   *     IO_ERROR: to be tried again
   */
  OptionalLong discardGroup(FileKey key, int group, long epoch, long second) throws VdfsException;

  /**
   * Removes from the disk what was discarded before a second; on volumes that otherwise have no
   * room for new groups also what was discarded later, the oldest first.
   *
   * @param before seconds since 1970
   * @return what is left
   * @throws VdfsException IO_ERROR where a volume fails, after all others had their turn
   */
  GarbageUsage purgeGarbage(long before) throws VdfsException;

  /** Keys of all files held; weakly consistent with writes going on. */
  Iterator<FileKey> files();

  /** All groups held, file by file; weakly consistent with writes going on. */
  Iterator<GroupHolding> holdings();

  /**
   * Whether bytes of a group lie on a suspect volume, and there is another one to hold them. They
   * may still be read from there, but what the disk will have after a power cut is not known. Never
   * blocks.
   */
  default boolean isOnSuspectVolume(FileKey key, int group) {
    return false;
  }

  /** Room on the volumes that were there at the start; none on one that has failed since. */
  List<VolumeUsage> usage();

  /**
   * What the node holds, volume by volume and by role; exact while nothing is changed. Never
   * blocks.
   */
  default List<HeldBlocks> held() {
    return List.of();
  }

  /** What opening the store found on the volumes. */
  StoreReport report();

  StoreCounters counters();

  /** Stops write-back, abandons open writers and gives the volumes back. */
  @Override
  void close() throws VdfsException;
}

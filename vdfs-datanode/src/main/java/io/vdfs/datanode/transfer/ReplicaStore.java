package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What the data plane needs of the block store. Thread-safe; methods block on the disk unless they
 * say otherwise.
 */
public interface ReplicaStore {
  /**
   * Opens a group for writing; a writer of a lower epoch is fenced. What does not count under the
   * lease is cut off; what else lies beyond {@code startOffset} stays visible until other bytes are
   * written for it or the writer is closed.
   *
   * @param startOffset in the file, on a chunk boundary
   * @param primary whether this node owns the group
   * @param lease of the writer
   * @param lastDeletion of which the metadata knew when they gave the writer its epoch
   * @param bytes that are all the writer is going to send; 0 where it does not know
   * @throws VdfsException FENCED for an epoch below the highest seen, or if the file was removed;
   *     STALE_TICKET if it may have been; FILE_CHANGED if the node holds less than {@code
   *     startOffset}; LEASE_CONFLICT if a writer of the same epoch is open
   */
  ReplicaWriter openWriter(
      FileKey file,
      int group,
      int writeEpoch,
      long startOffset,
      boolean primary,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException;

  /** As the other one, for a writer that does not know how many bytes are to come. */
  default ReplicaWriter openWriter(
      FileKey file,
      int group,
      int writeEpoch,
      long startOffset,
      boolean primary,
      LeaseBound lease,
      long lastDeletion)
      throws VdfsException {
    return openWriter(file, group, writeEpoch, startOffset, primary, lease, lastDeletion, 0);
  }

  /**
   * Waits for the turn of a range of a block to come from the disk into memory, where {@link #read}
   * then finds it. Never blocks; cancelling it gives the range up.
   *
   * @return fails with NOT_FOUND, IO_ERROR or UNAVAILABLE
   */
  CompletableFuture<Void> warm(FileKey file, long block, int offset, int length);

  /**
   * Reads the whole chunks that cover a range of a block, up to what the node holds.
   *
   * @throws VdfsException NOT_FOUND, CORRUPT, IO_ERROR or UNAVAILABLE
   */
  ReplicaChunks read(FileKey file, long block, int offset, int length) throws VdfsException;

  /**
   * The whole chunks that cover a range, where the store keeps them itself and {@link #warm} would
   * have to fetch them from the disk. Never blocks.
   */
  Optional<ReplicaChunks> kept(FileKey file, long block, int offset, int length);

  /** Write epoch of a block; 0 if nothing of it is held. Never blocks. */
  long writeEpoch(FileKey file, long block);

  /** What counts of a group under a lease; of length 0 if nothing. Never blocks. */
  ReplicaState state(FileKey file, int group, LeaseBound lease);

  /** All that is held of a group, whoever wrote it. Never blocks. */
  default ReplicaState state(FileKey file, int group) {
    return state(file, group, LeaseBound.NONE);
  }

  /**
   * Refuses writers below {@code epoch} from now on; reads nothing back.
   *
   * @return all that is held, whoever wrote it
   * @throws VdfsException FENCED if a higher epoch was seen
   */
  ReplicaState fence(FileKey file, int group, int epoch) throws VdfsException;

  /**
   * Forces what is held and reads back what counts of a group under a lease.
   *
   * @param marks lengths of the group up to which to sum up its block, too
   */
  VerifiedGroup verify(FileKey file, int group, LeaseBound lease, List<Long> marks)
      throws VdfsException;

  /**
   * Begins a copy of a block that another node holds.
   *
   * @param primary whether this node owns the group
   * @throws VdfsException FENCED; LEASE_CONFLICT if a writer of this epoch is open
   */
  BlockCopy openCopy(FileKey file, long block, int epoch, boolean primary) throws VdfsException;

  /**
   * Cuts a group to {@code length} bytes, durably.
   *
   * @throws VdfsException FENCED; FILE_CHANGED if the node holds fewer verified bytes
   */
  void truncate(FileKey file, int group, long length, int epoch) throws VdfsException;

  /** CRC32C of each block held of a group, in order without a gap; from the chunks' checksums. */
  List<Integer> blockChecksums(FileKey file, int group) throws VdfsException;
}

package io.vdfs.datanode.store;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;

/**
 * A copy, being made, of a block that another node holds. What this node held of the block counts
 * until {@link #finish}, and goes on counting if that is not reached. A writer of the block's group
 * that is opened meanwhile ends the copy. Confined to one thread at a time. After an exception
 * there is nothing left but to close it.
 */
public interface BlockCopy extends AutoCloseable {
  /**
   * Adds bytes behind those added before.
   *
   * @param data whole chunks, except at the end of the copy; not kept
   * @throws VdfsException FENCED if a higher epoch was seen meanwhile; LEASE_CONFLICT if a writer
   *     of the same epoch was opened meanwhile, or the block changed under it; NOT_FOUND if the
   *     file was deleted; NO_SPACE; IO_ERROR
   */
  void append(VerifiedChunks data) throws VdfsException;

  /**
   * Returns when the bytes are on stable storage and the copy has taken the place of what was held.
   * Until the group is verified or truncated a power cut may bring that back.
   *
   * @throws VdfsException as {@link #append}
   */
  void finish() throws VdfsException;

  /** Gives the copy up unless it is finished. */
  @Override
  void close();
}

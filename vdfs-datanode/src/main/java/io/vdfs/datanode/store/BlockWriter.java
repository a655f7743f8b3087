package io.vdfs.datanode.store;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletableFuture;

/**
 * Writes one group of a file. Confined to one thread at a time. After any exception but the
 * INVALID_ARGUMENT of {@link #append} the writer is useless: abandon it.
 *
 * <p>Bytes once visible are never overwritten in place. What the node held beyond the start offset
 * before this writer was opened is replaced from the first chunk on in which this writer's bytes
 * differ, and cut off at {@link #close(boolean)} where this writer sent something but not as much.
 */
public interface BlockWriter {
  /**
   * Stores and makes visible one packet, which is not summed again. A packet starts on a chunk
   * boundary and never leaves a hole; where it repeats bytes of this writer they must be the same.
   *
   * @param offset of the first byte, in the file
   * @param packet not kept; at least one byte, not beyond the end of the group, in chunks of the
   *     cluster's size
   * @throws VdfsException INVALID_ARGUMENT; FENCED; NO_SPACE; IO_ERROR
   */
  void append(long offset, VerifiedChunks packet) throws VdfsException;

  /** Offset in the file up to which this node holds the group; readers see as much. Any thread. */
  long visibleLength();

  /**
   * When the sender of the bytes should hear that those appended so far were taken, so that it may
   * send more: now, unless the volume is being read and has much to force. To be called before
   * {@link #close} only.
   *
   * @return completes within seconds, and never exceptionally
   */
  CompletableFuture<Void> room();

  /** Returns when all appended so far survives the death of this process (hflush). */
  void checkpoint() throws VdfsException;

  /** Returns when all appended so far survives a power cut (hsync). */
  void sync() throws VdfsException;

  /**
   * Ends the group in order: what was appended is all there is. From now on writers of this epoch
   * are refused too; once the bytes survive a power cut, so does the refusal.
   *
   * @param sync whether to return only when it survives a power cut
   */
  void close(boolean sync) throws VdfsException;

  /** Gives up, leaving what is visible as it is. Does nothing on a closed writer. */
  void abandon();
}

package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import java.nio.ByteBuffer;
import java.util.List;

/** Writes one group on this node. Confined to one thread at a time; useless after an exception. */
public interface ReplicaWriter {
  /**
   * @param offset in the file, on a chunk boundary
   * @param data not kept
   * @param checksums one per chunk of {@code data}
   */
  void append(long offset, ByteBuffer data, List<Integer> checksums) throws VdfsException;

  /** Returns when all appended survives the death of this process. */
  void checkpoint() throws VdfsException;

  /** Returns when all appended survives a power cut. */
  void sync() throws VdfsException;

  /** Ends the group: what was appended is all there is. */
  void close(boolean sync) throws VdfsException;

  /** Gives up, leaving what is visible as it is. Does nothing on a closed writer. */
  void abandon();
}

package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.VdfsException;

/**
 * Work of one combined file that {@link WriteBack} does in the background. Two of the same combined
 * file are equal, and so is done once. Thread-safe.
 */
public interface Settling {
  /** Makes durable what was written to the combined file; blocks. */
  void settle() throws VdfsException;
}

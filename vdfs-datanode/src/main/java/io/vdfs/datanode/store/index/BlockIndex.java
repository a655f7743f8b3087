package io.vdfs.datanode.store.index;

import io.vdfs.common.error.VdfsException;
import java.util.Optional;

/**
 * Finds blocks. A cache: what it says can be read again from the combined files. Thread-safe; an
 * entry is replaced as a whole, a reader sees the old or the new one. Callers that write the same
 * key have to order their writes themselves.
 */
public interface BlockIndex extends AutoCloseable {
  Optional<BlockEntry> get(BlockKey key);

  /**
   * @throws VdfsException NO_SPACE if the index is full and cannot grow
   */
  void put(BlockKey key, BlockEntry entry) throws VdfsException;

  void remove(BlockKey key);

  long size();

  @Override
  void close();
}

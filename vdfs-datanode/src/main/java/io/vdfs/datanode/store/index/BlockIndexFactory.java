package io.vdfs.datanode.store.index;

import io.vdfs.common.error.VdfsException;

/** Makes an empty index once it is known how many blocks there are. */
@FunctionalInterface
public interface BlockIndexFactory {
  /**
   * @param blocks how many entries will be put at once; more will follow
   */
  BlockIndex create(long blocks) throws VdfsException;
}

package io.vdfs.datanode.store.index;

import io.vdfs.common.error.VdfsException;
import java.nio.file.Path;

/** Makes an empty index once it is known how many blocks there are. */
@FunctionalInterface
public interface BlockIndexFactory {
  /**
   * @param directory where it may keep files, of this index alone
   * @param blocks how many entries will be put at once; more will follow
   */
  BlockIndex create(Path directory, long blocks) throws VdfsException;
}

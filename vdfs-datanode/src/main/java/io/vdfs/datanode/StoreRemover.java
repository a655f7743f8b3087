package io.vdfs.datanode;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.meta.service.edge.FileRemover;
import io.vdfs.datanode.store.BlockStore;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes files from the store. Thread-safe. */
record StoreRemover(BlockStore store, Optional<LocalDelivery> local) implements FileRemover {
  private static final Logger LOG = LoggerFactory.getLogger(StoreRemover.class);

  /** As long as a local reader has a name of a file, its space stays taken. */
  @Override
  public void remove(FileKey file) throws VdfsException {
    try {
      boolean held = store.delete(file);
      LOG.debug("Removed a file: file={}, held={}", file, held);
    } finally {
      local.ifPresent(delivery -> delivery.onDeleted(file));
    }
  }

  @Override
  public void force(long lastDeletion) throws VdfsException {
    store.forceRemovals(lastDeletion);
  }
}

package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.LocalDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;

/** Stores on real directories for JVMs without the arguments that the off-heap index needs. */
public final class HeapIndexedStores {
  private HeapIndexedStores() {}

  public static DiskBlockStore open(StoreConfig config) throws VdfsException {
    return open(config, new LocalDisk());
  }

  /** As {@link #open(StoreConfig)}, on a disk of a test. */
  public static DiskBlockStore open(StoreConfig config, Disk disk) throws VdfsException {
    return StoreOpener.open(
        new StoreContext(config, disk, ThreadingMode.OWN_THREADS),
        (directory, blocks) -> new HeapBlockIndex());
  }
}

package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.status.StoreCounters;

/**
 * What the parts of one store share. Thread-safe.
 *
 * @param buffers for what is read
 */
public record StoreContext(
    StoreConfig config,
    Disk disk,
    StoreCounters counters,
    ThreadingMode threading,
    BlockBuffers buffers) {
  /** Reads into buffers of the JVM's pool. */
  public StoreContext(StoreConfig config, Disk disk, ThreadingMode threading) {
    this(config, disk, threading, BlockBuffers.NONE);
  }

  public StoreContext(
      StoreConfig config, Disk disk, ThreadingMode threading, BlockBuffers buffers) {
    this(config, disk, new StoreCounters(), threading, buffers);
  }

  public ClusterGeometry geometry() {
    return config.geometry();
  }

  public CombinedFileLayout layout() {
    return CombinedFileLayout.of(config.geometry());
  }
}

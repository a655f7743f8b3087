package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.StoreCounters;
import io.vdfs.datanode.store.disk.Disk;

/** What the parts of one store share. Thread-safe. */
public record StoreContext(
    StoreConfig config, Disk disk, StoreCounters counters, ThreadingMode threading) {
  public StoreContext(StoreConfig config, Disk disk, ThreadingMode threading) {
    this(config, disk, new StoreCounters(), threading);
  }

  public ClusterGeometry geometry() {
    return config.geometry();
  }

  public CombinedFileLayout layout() {
    return CombinedFileLayout.of(config.geometry());
  }
}

package io.vdfs.datanode.store;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;

/** What the parts of one store share. Thread-safe. */
record StoreContext(
    StoreConfig config, Disk disk, StoreCounters counters, ThreadingMode threading) {
  StoreContext(StoreConfig config, Disk disk, ThreadingMode threading) {
    this(config, disk, new StoreCounters(), threading);
  }

  ClusterGeometry geometry() {
    return config.geometry();
  }

  CombinedFileLayout layout() {
    return CombinedFileLayout.of(config.geometry());
  }
}

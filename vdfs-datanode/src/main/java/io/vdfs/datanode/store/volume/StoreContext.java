package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.UnforgivingDisk;
import io.vdfs.datanode.store.status.StoreCounters;
import java.util.UUID;

/**
 * The objects that the parts of one store share. Thread-safe.
 *
 * @param buffers for what is read
 */
public record StoreContext(
    StoreConfig config,
    Disk disk,
    StoreCounters counters,
    ThreadingMode threading,
    BlockBuffers buffers) {
  public StoreContext {
    disk = new UnforgivingDisk(disk);
  }

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

  /** What the data file of a combined file on this volume begins with. */
  public CombinedFileHeader dataHeader(UUID volume, FileKey key, BlockRole role) {
    return new CombinedFileHeader(
        CombinedFileHeader.Kind.DATA, config.cluster(), config.node(), volume, key, role, layout());
  }
}

package io.vdfs.datanode.store;

import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A disk and the process that uses it, which can die. Confined to a test. */
final class Machine implements AutoCloseable {
  private final SimulatedDisk disk;
  private final List<Path> volumes;
  private DiskBlockStore store;

  Machine(List<Path> volumes) {
    this(volumes, new SimulatedDisk());
  }

  Machine(List<Path> volumes, SimulatedDisk disk) {
    this.disk = disk;
    this.volumes = volumes;
  }

  SimulatedDisk disk() {
    return disk;
  }

  /** The store of the process that runs. */
  DiskBlockStore store() {
    return store;
  }

  /** Starts the process. */
  DiskBlockStore start() throws VdfsException {
    store = StoreFixture.open(disk, volumes);
    return store;
  }

  /** The process dies, the disk keeps all. */
  void kill() throws VdfsException {
    disk.kill();
    reap();
  }

  void cutPower(long seed) throws VdfsException {
    disk.cutPower(new Random(seed));
    reap();
  }

  /** Ends the threads of the dead process, which can no longer reach the disk. */
  private void reap() throws VdfsException {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  @Override
  public void close() throws VdfsException {
    kill();
  }
}

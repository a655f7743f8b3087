package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.AcceptedLosses;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.disk.FaultyDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/** The store that daemons have, on a disk in memory that fails to order. Thread-safe. */
public final class DiskStoreFaults implements StoreFaults {
  private final ClusterGeometry geometry;
  private final SimulatedDisk memory = new SimulatedDisk();
  private final FaultyDisk disk = new FaultyDisk(memory);
  private final DiskBlockStore store;
  private final StreamManager streams;
  private final OrderedReads reads;

  public DiskStoreFaults(UUID cluster, NodeId node, ClusterGeometry geometry) throws VdfsException {
    this.geometry = geometry;
    StoreConfig config =
        new StoreConfig(
            cluster,
            node,
            geometry,
            List.of(Path.of("/d0")),
            Path.of("/index"),
            0,
            StoreConfig.DEFAULT_WRITE_BACK,
            StoreConfig.DEFAULT_MAX_OPEN_FILES,
            AcceptedLosses.NONE);
    store = HeapIndexedStores.open(config, disk);
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(store, streams, geometry.chunkSize());
  }

  @Override
  public BlockStore store() {
    return store;
  }

  @Override
  public StoreReads reads() {
    return reads;
  }

  @Override
  public void fillUp() {
    disk.fillUp();
  }

  @Override
  public void stall() {
    disk.stall();
  }

  @Override
  public void goOn() {
    disk.goOn();
  }

  @Override
  public boolean damage(FileKey file, long offset) {
    int inBlock = (int) (offset % geometry.blockSize());
    Optional<BlockLocation> block =
        store.locate(file, offset / geometry.blockSize()).filter(at -> at.length() > inBlock);
    block.ifPresent(at -> memory.flip(at.path(), (at.position() + inBlock) * Byte.SIZE + 4));
    return block.isPresent();
  }

  @Override
  public void lose(FileKey file, int group, int length) throws VdfsException {
    if (store.group(file, group).length() > length) {
      store.truncateGroup(file, group, length, store.group(file, group).fenceEpoch());
    }
  }

  @Override
  public byte[] bytes(FileKey file, int group) throws VdfsException {
    byte[] bytes = new byte[(int) store.group(file, group).length()];
    int at = 0;
    for (long block = (long) group * geometry.groupBlocks(); at < bytes.length; block++) {
      BlockData read =
          store.read(file, block, 0, Math.min(geometry.blockSize(), bytes.length - at), false);
      int length = Math.min(read.data().readableBytes(), bytes.length - at);
      read.data().readBytes(bytes, at, length).release();
      at += length;
    }
    return bytes;
  }

  @Override
  public boolean hasWriter(FileKey file, int groups) {
    return IntStream.range(0, groups).anyMatch(group -> store.isWriting(file, group));
  }

  @Override
  public void close() throws VdfsException {
    reads.close();
    streams.close();
    store.close();
  }
}

package io.vdfs.datanode.local;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** A store on two directories. */
final class TwoVolumes implements AutoCloseable {
  final List<Path> directories;
  final BlockStore store;
  private final ClusterGeometry geometry;

  TwoVolumes(Path directory, ClusterGeometry geometry) throws IOException {
    this.geometry = geometry;
    directories = List.of(directory.resolve("0"), directory.resolve("1"));
    for (Path volume : directories) {
      Files.createDirectory(volume);
    }
    store =
        HeapIndexedStores.open(
            new StoreConfig(
                UUID.randomUUID(),
                NodeId.random(),
                geometry,
                directories,
                directory.resolve("index"),
                0,
                StoreConfig.DEFAULT_WRITE_BACK,
                StoreConfig.DEFAULT_MAX_OPEN_FILES));
  }

  /**
   * The first file from {@code id} on that comes to lie on a volume.
   *
   * @param bytes that it gets, no more than a block
   */
  FileKey fileOn(int volume, int id, int bytes) throws VdfsException {
    FileKey file = new FileKey(id, 1);
    BlockWriter writer = store.openWriter(file, BlockRole.PRIMARY, 1, 0, 0);
    writer.append(0, VerifiedChunks.compute(ByteBuffer.allocate(bytes), geometry.chunkSize()));
    writer.close(false);
    boolean there = store.locate(file, 0).orElseThrow().volume() == volume;
    return there ? file : fileOn(volume, id + 1, bytes);
  }

  @Override
  public void close() throws VdfsException {
    store.close();
  }
}

package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DiskBlockStore;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class BlockReplicaStoreTest extends AbstractReplicaStoreTest {
  @TempDir private Path volume;
  private BlockStore blocks;
  private StreamManager streams;
  private ReplicaStore store;

  @BeforeEach
  void open() throws VdfsException {
    StoreConfig config =
        StoreConfig.of(UUID.randomUUID(), NodeId.random(), GEOMETRY, List.of(volume));
    blocks = DiskBlockStore.open(config);
    streams = StreamManager.start(blocks, 1, StreamSettings.DEFAULT);
    store = new BlockReplicaStore(blocks, streams, GEOMETRY);
  }

  @AfterEach
  void close() throws VdfsException {
    streams.close();
    blocks.close();
  }

  @Override
  ReplicaStore store() {
    return store;
  }
}

package io.vdfs.datanode.transfer;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DiskBlockStore;
import io.vdfs.datanode.store.StoreConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class BlockReplicaStoreTest extends AbstractReplicaStoreTest {
  @TempDir private Path volume;
  private BlockStore blocks;
  private ReplicaStore store;

  @BeforeEach
  void open() throws VdfsException {
    StoreConfig config =
        StoreConfig.of(UUID.randomUUID(), NodeId.random(), GEOMETRY, List.of(volume));
    blocks = DiskBlockStore.open(config);
    store = new BlockReplicaStore(blocks, GEOMETRY);
  }

  @AfterEach
  void close() throws VdfsException {
    blocks.close();
  }

  @Override
  ReplicaStore store() {
    return store;
  }
}

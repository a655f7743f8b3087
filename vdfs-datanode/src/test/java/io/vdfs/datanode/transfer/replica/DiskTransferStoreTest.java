package io.vdfs.datanode.transfer.replica;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StoreReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The store of daemons keeps the contract that the data plane relies on. */
class DiskTransferStoreTest extends AbstractTransferStoreTest {
  @TempDir private Path volume;
  private BlockStore blocks;
  private StreamManager streams;
  private OrderedReads reads;

  @BeforeEach
  void open() throws VdfsException {
    StoreConfig config =
        StoreConfig.of(
            UUID.randomUUID(), NodeId.random(), GEOMETRY, List.of(volume), volume.resolve("index"));
    blocks = StoreOpener.open(config);
    streams = StreamManager.start(blocks, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(blocks, streams, GEOMETRY.chunkSize());
  }

  @AfterEach
  void close() throws VdfsException {
    reads.close();
    streams.close();
    blocks.close();
  }

  @Override
  BlockStore store() {
    return blocks;
  }

  @Override
  StoreReads reads() {
    return reads;
  }
}

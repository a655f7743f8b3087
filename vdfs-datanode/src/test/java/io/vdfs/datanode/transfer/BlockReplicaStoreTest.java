package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.ChunkCrc;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DiskBlockStore;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.StoreCounter;
import io.vdfs.datanode.stream.StreamCounter;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockReplicaStoreTest extends AbstractReplicaStoreTest {
  @TempDir private Path volume;
  private BlockStore blocks;
  private StreamManager streams;
  private ReplicaStore store;

  @BeforeEach
  void open() throws VdfsException {
    StoreConfig config =
        StoreConfig.of(
            UUID.randomUUID(), NodeId.random(), GEOMETRY, List.of(volume), volume.resolve("index"));
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

  @Test
  void shouldServeTheHeadOfABlockThatWasReadWithoutTheDisk(@TempDir Path other) throws Exception {
    ClusterGeometry geometry = new ClusterGeometry(512 << 10, 4, 64 << 10, 12);
    FileKey file = new FileKey(9, 1);
    byte[] content = new byte[512 << 10];
    new Random(1).nextBytes(content);
    StoreConfig config =
        StoreConfig.of(
            UUID.randomUUID(), NodeId.random(), geometry, List.of(other), other.resolve("index"));
    try (BlockStore disks = DiskBlockStore.open(config);
        StreamManager manager = StreamManager.start(disks, 1, StreamSettings.DEFAULT)) {
      ReplicaStore replicas = new BlockReplicaStore(disks, manager, geometry);
      ReplicaWriter writer = replicas.openWriter(file, 0, 1, 0, true);
      ByteBuffer bytes = ByteBuffer.wrap(content);
      writer.append(0, bytes, ChunkCrc.ofChunks(bytes, geometry.chunkSize()));
      writer.close(true);
      replicas.read(file, 0, 0, content.length).data().release();
      long reads = disks.counters().get(StoreCounter.READS);

      replicas.warm(file, 0, 100_000, 150_000).get(20, TimeUnit.SECONDS);
      ReplicaChunks head = replicas.read(file, 0, 100_000, 150_000);
      assertEquals(64 << 10, head.offset());
      assertArrayEquals(
          Arrays.copyOfRange(content, 64 << 10, 256 << 10), ByteBufUtil.getBytes(head.data()));
      assertEquals(3, head.checksums().size());
      head.data().release();
      assertEquals(reads, disks.counters().get(StoreCounter.READS));
      assertEquals(1, manager.counters().get(StreamCounter.BLOCK_HEAD_HITS));
      assertEquals(0, manager.counters().get(StreamCounter.REQUESTS));
    }
  }
}

package io.vdfs.datanode.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderedReadsTest {
  /** With blocks that have heads. */
  private static final ClusterGeometry LARGE = new ClusterGeometry(512 << 10, 4, 64 << 10, 12);

  private static final FileKey FILE = new FileKey(9, 1);

  @Test
  void shouldServeTheHeadOfABlockThatWasReadWithoutTheDisk(@TempDir Path other) throws Exception {
    try (BlockStore disks = StoreOpener.open(largeConfig(other));
        StreamManager manager = StreamManager.start(disks, 1, StreamSettings.DEFAULT);
        OrderedReads reads = new OrderedReads(disks, manager, LARGE.chunkSize())) {
      byte[] content = writeBlock(disks);
      reads.read(FILE, 0, 0, content.length).data().release();
      long diskReads = disks.counters().get(StoreCounter.READS);

      reads.warm(StoreReads.Host.HERE, FILE, 0, 100_000, 150_000).get(20, TimeUnit.SECONDS);
      BlockData head = reads.read(FILE, 0, 100_000, 150_000);
      assertEquals(64 << 10, head.offset());
      assertArrayEquals(
          Arrays.copyOfRange(content, 64 << 10, 256 << 10), ByteBufUtil.getBytes(head.data()));
      assertEquals(3, head.checksums().count());
      head.data().release();
      assertEquals(diskReads, disks.counters().get(StoreCounter.READS));
      assertEquals(1, manager.counters().get(StreamManagerCounter.BLOCK_HEAD_HITS));
      assertEquals(0, manager.counters().get(StreamManagerCounter.REQUESTS));
    }
  }

  @Test
  void shouldNotKeepTheHeadOfABlockThatCameDamaged(@TempDir Path other) throws Exception {
    try (BlockStore disks = StoreOpener.open(largeConfig(other));
        StreamManager manager = StreamManager.start(disks, 1, StreamSettings.DEFAULT);
        OrderedReads reads = new OrderedReads(damagedOnce(disks), manager, LARGE.chunkSize())) {
      byte[] content = writeBlock(disks);
      BlockData damaged = reads.read(FILE, 0, 0, content.length);
      assertNotEquals(content[100_000], damaged.data().getByte(100_000));
      damaged.data().release();

      BlockData again = reads.read(FILE, 0, 100_000, 150_000);

      assertArrayEquals(
          Arrays.copyOfRange(content, 64 << 10, 256 << 10), ByteBufUtil.getBytes(again.data()));
      again.data().release();
    }
  }

  /** The first bytes that are read have a flipped bit, as after a fault in memory. */
  private static BlockStore damagedOnce(BlockStore sound) {
    AtomicBoolean damaged = new AtomicBoolean();
    return (BlockStore)
        Proxy.newProxyInstance(
            BlockStore.class.getClassLoader(),
            new Class<?>[] {BlockStore.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(sound, arguments);
              if (result instanceof BlockData read && damaged.compareAndSet(false, true)) {
                read.data().setByte(100_000, read.data().getByte(100_000) ^ 1);
              }
              return result;
            });
  }

  private static StoreConfig largeConfig(Path directory) {
    return StoreConfig.of(
        UUID.randomUUID(), NodeId.random(), LARGE, List.of(directory), directory.resolve("index"));
  }

  private static byte[] writeBlock(BlockStore store) throws VdfsException {
    byte[] content = new byte[LARGE.blockSize()];
    new Random(1).nextBytes(content);
    ByteBuffer bytes = ByteBuffer.wrap(content);
    BlockWriter writer = store.openWriter(FILE, BlockRole.PRIMARY, 1, 0, 0);
    writer.append(0, VerifiedChunks.compute(bytes, LARGE.chunkSize()));
    writer.close(true);
    return content;
  }
}

package io.vdfs.datanode.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two volumes whose blocks seem to be in memory, of which one hangs where a head is to be read. */
@Timeout(60)
class HangingHeadsTest {
  /** With blocks that have heads. */
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(512 << 10, 4, 64 << 10, 12);

  private static final int BLOCK = GEOMETRY.blockSize();

  @TempDir private Path directory;
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private TwoVolumes volumes;
  private StreamManager streams;
  private OrderedReads reads;
  private LocalDelivery delivery;
  private LocalSession session;
  private FileKey stuck;
  private FileKey sound;

  @BeforeEach
  void open() throws IOException {
    volumes = new TwoVolumes(directory, GEOMETRY);
    stuck = volumes.fileOn(0, 1, BLOCK);
    sound = volumes.fileOn(1, 1000, BLOCK);
    BlockStore hanging = hangingAt(stuck);
    streams = StreamManager.start(hanging, volumes.directories.size(), StreamSettings.DEFAULT);
    reads = new OrderedReads(hanging, streams, GEOMETRY.chunkSize());
    delivery = LocalDelivery.open(hanging, GEOMETRY, volumes.directories, reads.forOthers());
    session = delivery.open();
  }

  private BlockStore hangingAt(FileKey file) {
    return (BlockStore)
        Proxy.newProxyInstance(
            BlockStore.class.getClassLoader(),
            new Class<?>[] {BlockStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isCached")) {
                return true;
              }
              if (method.getName().equals("read") && arguments[0].equals(file)) {
                hangs.countDown();
                assertTrue(end.await(30, TimeUnit.SECONDS));
              }
              try {
                return method.invoke(volumes.store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @AfterEach
  void close() throws VdfsException {
    end.countDown();
    delivery.close();
    reads.close();
    streams.close();
    volumes.close();
  }

  @Test
  void shouldGrantOnBothVolumes() throws Exception {
    get(grant(stuck, BLOCK - 1)); // there is a name, and no head was read for it
    List<CompletableFuture<LocalRange>> whole = new ArrayList<>();
    for (int request = 0; request < 16; request++) {
      whole.add(grant(stuck, 0));
    }
    assertTrue(hangs.await(20, TimeUnit.SECONDS));

    assertEquals(BLOCK, get(grant(sound, 0)).length());
    for (CompletableFuture<LocalRange> granted : whole) {
      assertEquals(BLOCK, get(granted).length());
    }
  }

  /** Asks for a block from an offset on, as the data port does. */
  private CompletableFuture<LocalRange> grant(FileKey file, int offset) {
    CompletableFuture<CompletableFuture<LocalRange>> asked = new CompletableFuture<>();
    assertTrue(
        delivery.execute(
            () -> {
              try {
                asked.complete(session.grant(file, 0, offset, BLOCK - offset));
              } catch (VdfsException e) {
                asked.completeExceptionally(e);
              }
            }));
    return asked.thenCompose(granted -> granted);
  }

  private static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(20, TimeUnit.SECONDS);
  }
}

package io.vdfs.datanode.local;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two volumes, of which one hangs as soon as a file of it is to be named. */
@Timeout(60)
class HangingVolumeTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);

  @TempDir private Path directory;
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final Queue<FileKey> warmed = new ConcurrentLinkedQueue<>();
  private TwoVolumes volumes;
  private LocalDelivery delivery;
  private LocalSession session;
  private FileKey stuck;
  private FileKey sound;
  private FileKey another;

  @BeforeEach
  void open() throws IOException {
    volumes = new TwoVolumes(directory, GEOMETRY);
    delivery =
        LocalDelivery.open(
            volumes.store, GEOMETRY, volumes.directories, this::warm, this::linkUnlessItHangs);
    session = delivery.open();
    stuck = volumes.fileOn(0, 1, 2048);
    sound = volumes.fileOn(1, 1000, 2048);
    another = volumes.fileOn(1, 2000, 2048);
  }

  private CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
    warmed.add(file);
    return CompletableFuture.completedFuture(null);
  }

  private void linkUnlessItHangs(Path link, Path file) throws IOException {
    if (file.startsWith(directory.resolve("0"))) {
      hangs.countDown();
      try {
        assertTrue(end.await(30, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    Files.createLink(link, file);
  }

  @AfterEach
  void close() throws VdfsException {
    end.countDown();
    delivery.close();
    volumes.close();
  }

  /** Asks for names on the volume that hangs, by this session and others. */
  private CompletableFuture<LocalRange> hang() throws Exception {
    CompletableFuture<LocalRange> first = grant(session, stuck);
    assertTrue(hangs.await(20, TimeUnit.SECONDS));
    for (int request = 0; request < 16; request++) {
      var unused = grant(request % 2 == 0 ? session : delivery.open(), stuck);
    }
    return first;
  }

  /** Asks as the data port does. */
  private CompletableFuture<LocalRange> grant(LocalSession asking, FileKey file) {
    CompletableFuture<CompletableFuture<LocalRange>> asked = new CompletableFuture<>();
    assertTrue(
        delivery.execute(
            () -> {
              try {
                asked.complete(asking.grant(file, 0, 0, 1));
              } catch (VdfsException e) {
                asked.completeExceptionally(e);
              }
            }));
    return asked.thenCompose(granted -> granted);
  }

  private static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(20, TimeUnit.SECONDS);
  }

  private List<Path> links(int volume) throws IOException {
    try (Stream<Path> links = Files.list(directory.resolve(volume + "/local"))) {
      return links.toList();
    }
  }

  @Test
  void shouldGrantOnTheOtherVolume() throws Exception {
    CompletableFuture<LocalRange> first = hang();

    assertEquals(512, get(grant(session, sound)).length());
    assertEquals(512, get(grant(delivery.open(), sound)).length());

    assertFalse(first.isDone());
    end.countDown();
    assertEquals(512, get(first).length());
  }

  @Test
  void shouldTakeNamesBackOnTheOtherVolume() throws Exception {
    get(grant(session, sound));
    get(grant(session, another));
    assertFalse(hang().isDone());

    get(CompletableFuture.runAsync(() -> delivery.onDeleted(sound)));
    awaitThat(() -> links(1).size() == 1);
    get(CompletableFuture.runAsync(() -> delivery.onDeleted(stuck)));
    get(CompletableFuture.runAsync(session::close));
    awaitThat(() -> links(1).isEmpty());
  }

  @Test
  void shouldNotWarmForAReaderThatWentAwayBefore() throws Exception {
    CompletableFuture<LocalRange> gone = session.grant(stuck, 0, 0, 1);
    CompletableFuture<LocalRange> waiting = session.grant(stuck, 0, 0, 1);
    assertTrue(hangs.await(20, TimeUnit.SECONDS));

    gone.cancel(false);
    end.countDown();

    get(waiting);
    delivery.close();
    assertEquals(List.of(stuck), List.copyOf(warmed));
    assertEquals(1, delivery.counters().get(LocalCounter.GRANTS));
  }

  @Test
  void shouldTakeBackWhatWasBeingNamed() throws Exception {
    CompletableFuture<LocalRange> first = grant(session, stuck);
    assertTrue(hangs.await(20, TimeUnit.SECONDS));
    delivery.onDeleted(stuck);

    end.countDown();

    get(first);
    awaitThat(() -> delivery.counters().get(LocalCounter.LINKS_REMOVED) == 1);
    assertEquals(List.of(), links(0));
  }
}

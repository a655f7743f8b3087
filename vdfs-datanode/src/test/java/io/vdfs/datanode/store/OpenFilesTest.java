package io.vdfs.datanode.store;

import static io.vdfs.datanode.Await.awaitThat;
import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.KEY;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.content;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.HangingDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A store whose disk hangs while a combined file is being opened. */
@Timeout(60)
class OpenFilesTest {
  private static final FileKey OTHER = new FileKey(78, 1);
  private static final String DATA = "77.1.p.vcf";

  private final HangingDisk disk = new HangingDisk(new SimulatedDisk());
  private final byte[] file = content(1, 2 * GROUP);
  private final List<Thread> threads = new ArrayList<>();
  private DiskBlockStore store;

  @BeforeEach
  void writeTwoFilesAndStartAgain() throws VdfsException {
    store = start();
    StoreFixture.write(store, KEY, 0, file, 1);
    StoreFixture.write(store, OTHER, 0, file, 1);
    store.close();
    store = start();
    disk.hangAt(DATA);
  }

  private DiskBlockStore start() throws VdfsException {
    return StoreOpener.open(
        new StoreContext(StoreFixture.config(ONE_VOLUME), disk, ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  @AfterEach
  void stop() throws Exception {
    disk.goOn();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(20));
    }
    store.close();
    assertEquals(0, disk.open(), "files left open");
  }

  @FunctionalInterface
  private interface Step<T> {
    T run() throws VdfsException;
  }

  private <T> CompletableFuture<T> start(Step<T> step) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(step.run());
              } catch (VdfsException | RuntimeException | Error e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
    return result;
  }

  private boolean close() throws VdfsException {
    store.close();
    return true;
  }

  /** Begins to read the first block of a file. */
  private CompletableFuture<byte[]> read(FileKey key) {
    return start(() -> StoreFixture.read(store, key, 0, 0, BLOCK));
  }

  private static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(20, TimeUnit.SECONDS);
  }

  private static void assertFails(ErrorCode code, CompletableFuture<?> result) {
    ExecutionException failed = assertThrows(ExecutionException.class, () -> get(result));
    assertEquals(code, ((VdfsException) failed.getCause()).code(), failed.toString());
  }

  private void assertReads(byte[] expected, CompletableFuture<byte[]> read) throws Exception {
    assertArrayEquals(Arrays.copyOf(expected, BLOCK), get(read));
  }

  private void awaitAllWaiting() {
    awaitThat(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
  }

  @Test
  void shouldSayAtOnceThatNothingIsInMemoryWhileAFileIsBeingOpened() throws Exception {
    BlockLocation place = store.locate(KEY, 0).orElseThrow();
    CompletableFuture<byte[]> read = read(KEY);
    disk.awaitHanging();

    boolean inMemory = get(start(() -> store.isCached(place.file(), place.position(), 1)));

    assertFalse(inMemory);

    disk.goOn();
    assertReads(file, read);
  }

  @Test
  void shouldServeOtherFilesOfTheVolumeWhileOneIsBeingOpened() throws Exception {
    CompletableFuture<byte[]> read = read(KEY);
    disk.awaitHanging();

    assertReads(file, read(OTHER));
    assertFalse(read.isDone());
    assertEquals(1, store.counters().get(StoreCounter.OPEN_FILES));

    disk.goOn();
    assertReads(file, read);
    assertEquals(2, store.counters().get(StoreCounter.OPEN_FILES));
  }

  @Test
  void shouldOpenAFileOnceForAllThatWaitForIt() throws Exception {
    CompletableFuture<byte[]> first = read(KEY);
    disk.awaitHanging();
    CompletableFuture<byte[]> second = read(KEY);
    awaitAllWaiting();

    disk.goOn();

    assertReads(file, first);
    assertReads(file, second);
    assertEquals(1, disk.opened());
  }

  @Test
  void shouldTellAllThatWaitThatAFileCannotBeOpenedAndTryAgainForTheNext() throws Exception {
    CompletableFuture<byte[]> first = read(KEY);
    disk.awaitHanging();
    CompletableFuture<byte[]> second = read(KEY);
    awaitAllWaiting();

    disk.fail();

    assertFails(ErrorCode.IO_ERROR, first);
    assertFails(ErrorCode.IO_ERROR, second);
    assertEquals(0, store.counters().get(StoreCounter.OPEN_FILES));
    assertReads(file, read(KEY));
    assertEquals(2, disk.opened());
  }

  @Test
  void shouldNotTakeAFileMadeAfterADeletionForTheOneThatWasBeingOpened() throws Exception {
    CompletableFuture<byte[]> first = read(KEY);
    disk.awaitHanging();
    CompletableFuture<byte[]> second = read(KEY);
    awaitAllWaiting();
    boolean deleted = get(start(() -> store.delete(KEY)));
    assertTrue(deleted);
    byte[] next = content(2, GROUP);
    FileKey nextKey = new FileKey(KEY.fileId(), KEY.generation() + 1);
    StoreFixture.write(store, nextKey, 0, next, 1);

    disk.goOn();

    assertFails(ErrorCode.NOT_FOUND, first);
    assertFails(ErrorCode.NOT_FOUND, second);
    assertReads(next, read(nextKey));
    assertEquals(1, store.counters().get(StoreCounter.OPEN_FILES));
  }

  @Test
  void shouldCloseAFileThatIsOpenedAfterTheStoreWasClosed() throws Exception {
    CompletableFuture<byte[]> read = read(KEY);
    disk.awaitHanging();
    get(start(this::close));

    disk.goOn();

    assertFails(ErrorCode.UNAVAILABLE, read);
    assertEquals(0, disk.open());
    assertEquals(0, store.counters().get(StoreCounter.OPEN_FILES));
  }

  @Test
  void shouldTellThatAGroupIsBeingWrittenWhileItsWriterWaitsForTheDisk() throws Exception {
    BlockWriter writer = StoreFixture.writer(store, KEY, 1, 1, GROUP);
    CompletableFuture<Void> append =
        start(
            () -> {
              StoreFixture.append(writer, file, GROUP, 2 * GROUP);
              return null;
            });
    disk.awaitHanging();

    boolean other = get(start(() -> store.isWriting(KEY, 0)));
    boolean written = get(start(() -> store.isWriting(KEY, 1)));

    assertFalse(other);
    assertTrue(written);
    disk.goOn();
    get(append);
    writer.close(true);
    assertFalse(store.isWriting(KEY, 1));
  }
}

package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.OtherWriters;
import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.hadoop.streams.OpenStreams;
import io.vdfs.client.io.ClusterFile;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.Await;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What happens to files that are open for writing when their filesystem is closed. */
class FileSystemCloseTest {
  private static final Path FILE = new Path("/f");
  private static final Duration SHORT = Duration.ofMillis(300);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ClusterFile file;

  @BeforeEach
  void start() throws IOException {
    file = new ClusterFile();
  }

  @AfterEach
  void stop() throws Exception {
    threads.shutdownNow();
    assertTrue(threads.awaitTermination(20, TimeUnit.SECONDS));
    file.close();
  }

  /** A filesystem that writes its one file to real servers. */
  private VdfsFileSystem onServers(Duration closeLimit) throws IOException {
    return new TestFileSystems(
            fake -> new OtherWriters(fake, (content, info, ticket, holder) -> file.create()),
            closeLimit)
        .initialized();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void shouldCompleteAFileWhoseBytesWereAllPassedOn() throws IOException {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    out.write(bytes(10_000));

    fs.close();

    assertFalse(file.isOpenForWriting());
    assertArrayEquals(bytes(10_000), file.content());
    out.close();
    assertThrows(IOException.class, () -> out.write(1));
  }

  @Test
  void shouldCompleteAFileWithTheBytesThatTheStreamStillHas() throws IOException {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    out.write(bytes(10));

    fs.close();

    assertFalse(file.isOpenForWriting());
    assertArrayEquals(bytes(10), file.content());
    out.close();
  }

  @Test
  void shouldSayWhichFileIsNotCompleteAndFailItsOwnClose() throws IOException {
    VdfsFileSystem fs = onServers(SHORT);
    FSDataOutputStream out = fs.create(FILE);
    out.write(bytes(10_000));
    out.hflush();
    file.stall();
    out.write(bytes(5_000));

    IOException e = assertThrows(IOException.class, fs::close);
    assertTrue(e.getMessage().contains("vdfs://test/f"), e.getMessage());
    assertEquals(1, e.getSuppressed().length);
    file.goOn();

    assertThrows(VdfsException.class, out::close);
    out.close();
    assertThrows(IOException.class, () -> out.write(1));
    assertTrue(file.isOpenForWriting());
  }

  @Test
  void shouldNotWaitForAThreadThatWritesLongerThanTheLimit() throws Exception {
    VdfsFileSystem fs = onServers(SHORT);
    FSDataOutputStream out = fs.create(FILE);
    file.stall();
    Future<?> writing = threads.submit(() -> writeUntilItFails(out));
    awaitThreadIn("PipelineSet", "awaitProgress", writing);

    IOException e = assertThrows(IOException.class, fs::close);

    assertTrue(e.getMessage().contains("vdfs://test/f"), e.getMessage());
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> writing.get(20, TimeUnit.SECONDS));
    assertInstanceOf(IOException.class, failed.getCause());
    assertThrows(IOException.class, out::close);
    assertTrue(file.isOpenForWriting());
    file.goOn();
  }

  private static Object writeUntilItFails(FSDataOutputStream out) throws IOException {
    while (true) {
      out.write(bytes(10_000));
    }
  }

  @Test
  void shouldLetAWriteOfAnotherThreadEndFirst() throws Exception {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    byte[] content = bytes(60_000);
    file.stall();
    Future<?> writing =
        threads.submit(
            () -> {
              out.write(content);
              return null;
            });
    awaitThreadIn("PipelineSet", "awaitProgress", writing);
    Future<?> closing =
        threads.submit(
            () -> {
              fs.close();
              return null;
            });
    awaitThreadIn("VdfsOutputStream", "complete", closing);
    assertFalse(writing.isDone());
    file.goOn();

    writing.get(20, TimeUnit.SECONDS);
    closing.get(20, TimeUnit.SECONDS);
    assertFalse(file.isOpenForWriting());
    assertArrayEquals(content, file.content());
    out.close();
  }

  /** Fails with the failure of {@code task}, if that ends before. */
  private static void awaitThreadIn(String type, String method, Future<?> task) throws Exception {
    Await.awaitThat(() -> task.isDone() || isAnyThreadIn(type, method));
    if (task.isDone()) {
      task.get();
    }
  }

  private static boolean isAnyThreadIn(String type, String method) {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(
            frame ->
                frame.getClassName().endsWith("." + type) && frame.getMethodName().equals(method));
  }

  @Test
  void shouldNotCompleteAFileThatHasFailedBefore() throws IOException {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    out.write(bytes(9_000));
    out.hflush();
    file.setReachable(false);
    assertThrows(IOException.class, () -> writeUntilItFails(out));
    file.setReachable(true);

    assertThrows(IOException.class, () -> out.write(1));
    IOException e = assertThrows(IOException.class, fs::close);
    assertTrue(e.getMessage().contains("vdfs://test/f"), e.getMessage());
    assertTrue(file.isOpenForWriting());
    assertThrows(IOException.class, out::close);
  }

  @Test
  void shouldForgetAFileThatItsOwnerClosedInVain() throws IOException {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    out.write(bytes(9_000));
    file.setReachable(false);
    assertThrows(VdfsException.class, out::close);

    fs.close();
    assertTrue(file.isOpenForWriting());
  }

  @Test
  void shouldCompleteManyFilesAndDeleteWhatWasMarked() throws IOException {
    TestFileSystems systems = new TestFileSystems();
    VdfsFileSystem fs = systems.initialized();
    VdfsFileSystem other = systems.initialized();
    List<FSDataOutputStream> outs = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      FSDataOutputStream out = fs.create(new Path("/d/" + i));
      out.write(bytes(i));
      outs.add(out);
    }
    fs.deleteOnExit(new Path("/d/0"));

    fs.close();

    assertFalse(other.exists(new Path("/d/0")));
    for (int i = 1; i < 200; i++) {
      assertTrue(other.isFileClosed(new Path("/d/" + i)));
      assertEquals(i, other.getFileStatus(new Path("/d/" + i)).getLen());
      outs.get(i).close();
    }
  }

  @Test
  void shouldCompleteAFileThatIsBeingOpenedMeanwhile() throws Exception {
    HeldUp held = new HeldUp();
    TestFileSystems systems = new TestFileSystems(held::before, OpenStreams.LIMIT);
    VdfsFileSystem fs = systems.initialized();
    VdfsFileSystem other = systems.initialized();
    Future<FSDataOutputStream> opening = threads.submit(() -> fs.create(FILE));
    held.reached.await();
    Future<?> closing =
        threads.submit(
            () -> {
              fs.close();
              return null;
            });
    Await.awaitThat(() -> refusesToOpen(fs));
    assertFalse(closing.isDone());
    held.goOn.countDown();

    closing.get(20, TimeUnit.SECONDS);
    assertTrue(other.isFileClosed(FILE));
    FSDataOutputStream out = opening.get(20, TimeUnit.SECONDS);
    out.close();
    assertThrows(IOException.class, () -> out.write(1));
  }

  private static boolean refusesToOpen(VdfsFileSystem fs) {
    try {
      fs.append(new Path("/missing")).close();
      return false;
    } catch (IOException e) {
      return e.getMessage().contains("Filesystem closed");
    }
  }

  @Test
  void shouldRefuseAFileThatIsOpenedTooLateButNotForgetIt() throws Exception {
    HeldUp held = new HeldUp();
    TestFileSystems systems = new TestFileSystems(held::before, SHORT);
    VdfsFileSystem fs = systems.initialized();
    VdfsFileSystem other = systems.initialized();
    Future<FSDataOutputStream> opening = threads.submit(() -> fs.create(FILE));
    held.reached.await();
    fs.close();
    held.goOn.countDown();

    ExecutionException refused =
        assertThrows(ExecutionException.class, () -> opening.get(20, TimeUnit.SECONDS));
    assertTrue(refused.getCause().getMessage().contains("Filesystem closed"));
    assertTrue(other.isFileClosed(FILE));
  }

  /** Holds up the first opening, after the metadata service's answer. */
  private static final class HeldUp {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    OtherWriters before(ContentAccess fake) {
      return new OtherWriters(
          fake,
          (content, info, ticket, holder) -> {
            reached.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return content.writer(info, ticket, holder);
          });
    }
  }

  @Test
  void shouldWaitForAnotherThreadThatClosesAlready() throws Exception {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    fs.create(FILE).write(bytes(20));
    CompletableFuture<?>[] closings = new CompletableFuture<?>[8];
    for (int i = 0; i < closings.length; i++) {
      closings[i] =
          CompletableFuture.runAsync(
              () -> {
                try {
                  fs.close();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
                assertFalse(file.isOpenForWriting());
              },
              threads);
    }

    CompletableFuture.allOf(closings).get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldEndStreamsOfAClosedFileSystemAsClosedChannels() throws IOException {
    VdfsFileSystem fs = onServers(OpenStreams.LIMIT);
    FSDataOutputStream out = fs.create(FILE);
    out.close();

    assertThrows(ClosedChannelException.class, () -> out.write(1));
    fs.close();
    assertThrows(IOException.class, () -> out.write(1));
  }
}

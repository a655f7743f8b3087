package io.vdfs.client.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.vdfs.client.io.IoCounter;
import io.vdfs.common.metrics.Counters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFilesTest {
  private static final long IDLE = 100;
  private static final int WINDOW = 256 << 10;

  @TempDir private Path directory;
  private final Queue<Runnable> later = new ArrayDeque<>();
  private final Counters<IoCounter> counters = new Counters<>(IoCounter.class);
  private long now;
  private final UnpooledByteBufAllocator windows = new UnpooledByteBufAllocator(true);
  private final LocalFiles files =
      new LocalFiles(IDLE, () -> now, later::add, counters, () -> DiskReads.NONE, windows);

  @Test
  void shouldUseAHandleAgainButNeverShareIt() throws IOException {
    String path = file("a");
    LocalFiles.Handle first = files.open(path);
    LocalFiles.Handle second = files.open(path);
    assertNotSame(first, second);
    first.release();

    assertSame(first, files.open(path));
    assertEquals(2, counters.get(IoCounter.LOCAL_FILES_OPENED));
  }

  @Test
  void shouldKeepAWindowWithItsHandleAndGiveItBackWithIt() throws IOException {
    LocalFiles.Handle handle = files.open(file("a"));
    ByteBuffer window = handle.window(WINDOW);
    assertEquals(WINDOW, window.capacity());
    assertEquals(WINDOW, windows.metric().usedDirectMemory());
    handle.release();

    assertSame(window, files.open(file("a")).window(WINDOW));
    handle.release();
    now = 2 * IDLE;
    later.remove().run();

    assertEquals(0, windows.metric().usedDirectMemory());
  }

  @Test
  void shouldGiveBackTheWindowOfAFileThatAnInterruptClosed() throws IOException {
    LocalFiles.Handle handle = files.open(file("a"));
    handle.window(WINDOW);
    handle.channel().close();

    handle.release();

    assertEquals(0, windows.metric().usedDirectMemory());
    assertEquals(0, files.idle());
  }

  @Test
  void shouldCloseHandlesThatAreUnusedForAWhile() throws IOException {
    LocalFiles.Handle old = files.open(file("old"));
    old.release();
    now = IDLE - 1;
    LocalFiles.Handle young = files.open(file("young"));
    young.release();
    assertEquals(1, later.size());

    now = IDLE;
    later.remove().run();
    assertFalse(old.channel().isOpen());
    assertTrue(young.channel().isOpen());

    now = 2 * IDLE;
    later.remove().run();
    assertFalse(young.channel().isOpen());
    assertEquals(0, later.size(), "nothing left to look at");
  }

  @Test
  void shouldKeepFewHandles() throws IOException {
    LocalFiles.Handle first = files.open(file("f"));
    first.release();
    for (int i = 0; i < LocalFiles.MAX_IDLE; i++) {
      files.open(file("f" + i)).release();
    }

    assertEquals(LocalFiles.MAX_IDLE, files.idle());
    assertFalse(first.channel().isOpen());
  }

  @Test
  void shouldForgetAHandleThatWasClosedUnderItsUser() throws IOException {
    LocalFiles.Handle handle = files.open(file("a"));
    handle.channel().close();
    handle.release();

    assertEquals(0, files.idle());
  }

  @Test
  void shouldCloseEverythingInTheEnd() throws IOException {
    LocalFiles.Handle unused = files.open(file("a"));
    LocalFiles.Handle used = files.open(file("b"));
    unused.release();

    files.close();
    assertFalse(unused.channel().isOpen());
    assertTrue(used.channel().isOpen());
    used.release();
    assertFalse(used.channel().isOpen());
  }

  @Test
  void shouldOpenNothingButFiles() throws IOException {
    String target = file("a");
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of(target));

    assertThrows(IOException.class, () -> files.open(link.toString()));
    assertThrows(IOException.class, () -> files.open(directory.toString()));
    assertThrows(IOException.class, () -> files.open("/dev/zero"));
    assertThrows(IOException.class, () -> files.open(directory.resolve("none").toString()));
  }

  private String file(String name) throws IOException {
    return Files.writeString(directory.resolve(name), name).toString();
  }
}

package io.vdfs.client.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.vdfs.client.io.PageCache;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thread may have to fetch some of its own code besides what it reads. */
@Timeout(60)
class ThreadDiskReadsTest {
  private static final int LENGTH = 1 << 20;

  @Test
  void shouldFindTheNumberAmongTheAccounts() throws IOException {
    assertEquals(4096, parse("rchar: 9\nread_bytes: 4096\nwrite_bytes: 7\n"));
    assertEquals(0, parse("rchar: 9\nread_bytes: 0"));
    assertThrows(IOException.class, () -> parse("rchar: 9\nxread_bytes: 4096\n"));
    assertThrows(IOException.class, () -> ThreadDiskReads.parse(new byte[0], -1));
  }

  private static long parse(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return ThreadDiskReads.parse(bytes, bytes.length);
  }

  /** Needs a disk below the temporary directory, and Linux. */
  @Test
  void shouldAccountForTheThreadThatLooks(@TempDir Path directory) throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[LENGTH]);
    PageCache.drop(file);
    assumeFalse(PageCache.holds(file), "it could not be taken out of memory");
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (DiskReads reads = new ThreadDiskReads()) {
      long before = reads.bytes();
      long others = CompletableFuture.supplyAsync(() -> costOfReading(reads, file), other).get();
      assertTrue(others >= LENGTH, () -> "others=" + others);
      assertTrue(reads.bytes() - before < LENGTH / 4, "this thread has read nothing");
      assertTrue(costOfReading(reads, file) < LENGTH / 4, "it is in memory");
    } finally {
      other.shutdownNow();
    }
  }

  private static long costOfReading(DiskReads reads, Path file) {
    long before = reads.bytes();
    try {
      assertEquals(LENGTH, Files.readAllBytes(file).length);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return reads.bytes() - before;
  }
}

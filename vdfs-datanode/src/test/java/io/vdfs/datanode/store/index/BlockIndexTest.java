package io.vdfs.datanode.store.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BlockIndexTest {
  private static final int CHUNKS = 8;

  @TempDir private Path directory;
  private final AtomicInteger growths = new AtomicInteger();

  private static BlockKey key(int number) {
    return new BlockKey(new FileKey(1 + number / 100, 1 + number % 3), number % 100);
  }

  private static BlockEntry entry(int number) {
    int[] checksums = new int[number % (CHUNKS + 1)];
    for (int chunk = 0; chunk < checksums.length; chunk++) {
      checksums[chunk] = number * 31 + chunk;
    }
    return new BlockEntry(
        number % 128,
        number % 2 == 0 ? BlockRole.PRIMARY : BlockRole.REPLICA,
        number,
        number * 3,
        number * 5L,
        number * 7L,
        ChunkChecksums.of(checksums));
  }

  private BlockIndex chronicle(long capacity) throws VdfsException {
    return ChronicleBlockIndex.create(directory, CHUNKS, growths::incrementAndGet, capacity);
  }

  private static void assertContract(BlockIndex index) throws VdfsException {
    for (int number = 0; number < 3000; number++) {
      index.put(key(number), entry(number));
    }
    assertEquals(3000, index.size());
    for (int number = 0; number < 3000; number += 2) {
      index.put(key(number), entry(number + 1));
    }
    for (int number = 0; number < 3000; number += 3) {
      index.remove(key(number));
    }
    assertEquals(2000, index.size());
    for (int number = 0; number < 3000; number++) {
      Optional<BlockEntry> expected =
          number % 3 == 0
              ? Optional.empty()
              : Optional.of(entry(number % 2 == 0 ? number + 1 : number));
      assertEquals(expected, index.get(key(number)), "entry " + number);
    }
    assertEquals(Optional.empty(), index.get(new BlockKey(new FileKey(999, 1), 0)));
  }

  @Test
  void shouldFindWhatWasPutOnTheHeap() throws VdfsException {
    try (BlockIndex index = new HeapBlockIndex()) {
      assertContract(index);
    }
  }

  @Test
  void shouldFindWhatWasPutOffTheHeap() throws VdfsException {
    try (BlockIndex index =
        ChronicleBlockIndex.create(directory, CHUNKS, 3000, growths::incrementAndGet)) {
      assertContract(index);
    }
    assertEquals(0, growths.get());
  }

  @Test
  void shouldGrowWhenFull() throws VdfsException {
    try (BlockIndex index = chronicle(64)) {
      assertContract(index);
      assertTrue(growths.get() >= 3, "growths=" + growths);
    }
  }

  @Test
  void shouldGrowUnderReadersAndWriters() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try (BlockIndex index = chronicle(64)) {
      List<Future<?>> futures = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int first = thread;
        futures.add(
            threads.submit(
                () -> {
                  for (int number = first; number < 20_000; number += 4) {
                    index.put(key(number), entry(number));
                    int earlier = number % 2 == 0 ? number : first;
                    assertEquals(Optional.of(entry(earlier)), index.get(key(earlier)));
                  }
                  return null;
                }));
      }
      awaitAll(futures);
      assertEquals(20_000, index.size());
      for (int number = 0; number < 20_000; number++) {
        assertEquals(Optional.of(entry(number)), index.get(key(number)));
      }
    } finally {
      threads.shutdownNow();
    }
    assertTrue(growths.get() >= 6, "growths=" + growths);
  }

  @Test
  void shouldRefuseWhileItCannotGrow() throws Exception {
    Path larger = directory.resolve("block-index-1");
    try (BlockIndex index = chronicle(200)) {
      int held = 0;
      VdfsException refusal = null;
      while (refusal == null) {
        // a file cannot be made in its place
        Files.createDirectories(larger);
        try {
          index.put(key(held), entry(held));
          held++;
        } catch (VdfsException e) {
          refusal = e;
        }
      }

      assertEquals(ErrorCode.NO_SPACE, refusal.code());
      assertTrue(refusal.getMessage().contains(larger.toString()), refusal.getMessage());
      assertTrue(held >= 200, "held=" + held);
      assertEquals(0, growths.get());
      assertHolds(index, held);

      Files.deleteIfExists(larger);
      index.put(key(held), entry(held));

      assertEquals(1, growths.get());
      assertHolds(index, held + 1);
    }
  }

  @Test
  void shouldTakeLongerEntriesForThoseItHoldsWhenItIsFull() throws Exception {
    int shortest = 0;
    int longest = CHUNKS;
    try (BlockIndex index = chronicle(200)) {
      int held = putUntilRefused(index, entry(shortest));

      for (int number = 0; number < held; number++) {
        Files.createDirectories(directory.resolve("block-index-1"));
        index.put(key(number), entry(longest));
      }

      assertEquals(0, growths.get());
      assertEquals(held, index.size());
      for (int number = 0; number < held; number++) {
        assertEquals(Optional.of(entry(longest)), index.get(key(number)), "entry " + number);
      }
    }
  }

  private int putUntilRefused(BlockIndex index, BlockEntry entry) throws IOException {
    for (int number = 0; ; number++) {
      // a file cannot be made in its place
      Files.createDirectories(directory.resolve("block-index-1"));
      try {
        index.put(key(number), entry);
      } catch (VdfsException e) {
        assertEquals(ErrorCode.NO_SPACE, e.code());
        return number;
      }
    }
  }

  private static void assertHolds(BlockIndex index, int entries) {
    assertEquals(entries, index.size());
    for (int number = 0; number < entries; number++) {
      assertEquals(Optional.of(entry(number)), index.get(key(number)), "entry " + number);
    }
  }

  private static void awaitAll(List<Future<?>> futures)
      throws InterruptedException, ExecutionException {
    for (Future<?> future : futures) {
      future.get();
    }
  }

  @Test
  void shouldNeverTrustWhatAnEarlierProcessLeft() throws VdfsException, IOException {
    Files.writeString(directory.resolve("block-index-7"), "stale");
    try (BlockIndex index = chronicle(64)) {
      assertEquals(0, index.size());
      index.put(key(1), entry(1));
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
  }

  /** It holds fingerprints of what users wrote. */
  @Test
  void shouldKeepTheIndexToTheDaemonsUser() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (BlockIndex index = chronicle(100)) {
      assertEquals(0, index.size());
      assertEquals("rwx------", mode(directory));
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.toList()) {
          assertEquals("rw-------", mode(file), file::toString);
        }
      }
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void shouldAskForAJdkWhereThereIsNoCompiler() throws Exception {
    ChronicleBlockIndex.requireCompiler(Optional.of(ToolProvider.getSystemJavaCompiler()));
    VdfsException e =
        assertThrows(
            VdfsException.class, () -> ChronicleBlockIndex.requireCompiler(Optional.empty()));
    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertTrue(e.getMessage().contains(System.getProperty("java.home")), e.getMessage());
    assertTrue(e.getMessage().contains("set JAVA_HOME to a JDK"), e.getMessage());
  }
}

package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.index.BlockIndex;
import io.vdfs.datanode.store.index.BlockKey;
import io.vdfs.datanode.store.index.ChronicleBlockIndex;
import io.vdfs.it.cluster.WorkDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The index of blocks on a real filesystem that is full, mounted for the test. Needs root, so only
 * the Maven profile {@code root} runs it, and it fails there without root.
 */
@Tag("root")
@Timeout(180)
class FullIndexIT {
  private static final int CHUNKS = 16;

  /** Least number of entries for which the first map is made. */
  private static final int FIRST_MAP = 4096;

  /** Room for the first map, but not for one of twice the size beside it. */
  private static final String TOO_LITTLE = "1m";

  private static final String ENOUGH = "64m";
  private static final Duration SOON = Duration.ofSeconds(5);

  private static BlockKey key(int block) {
    return new BlockKey(new FileKey(1, 1), block);
  }

  private static BlockEntry entry(int block) {
    int[] checksums = new int[CHUNKS];
    checksums[0] = block;
    return new BlockEntry(0, BlockRole.PRIMARY, block, 1, 1, 1, ChunkChecksums.of(checksums));
  }

  @Test
  void shouldRefuseAtOnceAndGoOnWhenThereIsRoom() throws Exception {
    AtomicInteger growths = new AtomicInteger();
    try (WorkDirectory work = WorkDirectory.create("full-index")) {
      Path directory = work.directory("index");
      try (SmallFilesystem filesystem = SmallFilesystem.mount(directory, TOO_LITTLE);
          BlockIndex index =
              ChronicleBlockIndex.create(directory, CHUNKS, 1, growths::incrementAndGet)) {
        int held = putUntilRefused(index);
        assertTrue(held >= FIRST_MAP, "held=" + held);
        assertEquals(0, growths.get());
        for (int refusal = 0; refusal < 3; refusal++) {
          assertTimeout(SOON, () -> assertRefuses(index, held));
        }

        filesystem.resize(ENOUGH);
        for (int block = held; block < 2 * held; block++) {
          index.put(key(block), entry(block));
        }

        assertTrue(growths.get() > 0);
        for (int block = 0; block < 2 * held; block++) {
          assertEquals(Optional.of(entry(block)), index.get(key(block)));
        }
      }
    }
  }

  private static int putUntilRefused(BlockIndex index) {
    for (int block = 0; ; block++) {
      try {
        index.put(key(block), entry(block));
      } catch (VdfsException e) {
        assertEquals(ErrorCode.NO_SPACE, e.code());
        return block;
      }
    }
  }

  private static void assertRefuses(BlockIndex index, int block) {
    VdfsException refusal =
        assertThrows(VdfsException.class, () -> index.put(key(block), entry(block)));
    assertEquals(ErrorCode.NO_SPACE, refusal.code());
  }
}

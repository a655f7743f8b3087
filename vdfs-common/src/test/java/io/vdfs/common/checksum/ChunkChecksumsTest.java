package io.vdfs.common.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkChecksumsTest {
  @Test
  void shouldFindTheFirstChunkThatDiffers() {
    byte[] bytes = new byte[2 * 512 + 100];
    new Random(3).nextBytes(bytes);
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(bytes), 512);

    assertEquals(3, checksums.count());
    assertEquals(-1, checksums.firstMismatch(ByteBuffer.wrap(bytes), 512));
    bytes[1100] ^= 1;
    assertEquals(2, checksums.firstMismatch(ByteBuffer.wrap(bytes), 512));
    bytes[511] ^= 1;
    assertEquals(0, checksums.firstMismatch(ByteBuffer.wrap(bytes), 512));
  }

  @Test
  void shouldRefuseAnotherNumberOfChecksumsThanChunks() {
    assertThrows(
        IllegalArgumentException.class,
        () -> ChunkChecksums.NONE.firstMismatch(ByteBuffer.allocate(1), 512));
  }

  @Test
  void shouldCombineToTheChecksumOfAllBytes() {
    Crc32c.Combiner combiner = new Crc32c.Combiner(512);
    for (int length : new int[] {0, 1, 511, 512, 513, 5 * 512, 5 * 512 + 7}) {
      byte[] bytes = new byte[length];
      new Random(length).nextBytes(bytes);
      ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(bytes), 512);
      int all = Crc32c.of(ByteBuffer.wrap(bytes));
      assertEquals(all, checksums.combined(length, 512), "length=" + length);
      assertEquals(all, checksums.combined(length, 512, combiner), "length=" + length);
    }
  }
}

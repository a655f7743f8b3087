package io.vdfs.common.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkCrcTest {
  @Test
  void shouldMatchTheKnownCrcOfNineDigits() {
    ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII));

    assertEquals(0xE3069283, ChunkCrc.of(digits));
  }

  @Test
  void shouldCombineLikeTheCrcOfTheWhole() {
    Random random = new Random(17);
    for (int round = 0; round < 500; round++) {
      byte[] whole = new byte[random.nextInt(5000)];
      random.nextBytes(whole);
      int cut = random.nextInt(whole.length + 1);
      int a = ChunkCrc.of(ByteBuffer.wrap(whole, 0, cut));
      int b = ChunkCrc.of(ByteBuffer.wrap(whole, cut, whole.length - cut));

      assertEquals(
          ChunkCrc.of(ByteBuffer.wrap(whole)),
          ChunkCrc.combine(a, b, whole.length - cut),
          "round=" + round + ", length=" + whole.length + ", cut=" + cut);
    }
  }

  @Test
  void shouldCombineAssociativelyForLengthsThatFitNoBuffer() {
    long[] lengths = {1, 1L << 31, (1L << 40) + 12_345, Long.MAX_VALUE / 16};
    for (long length : lengths) {
      int leftFirst = ChunkCrc.combine(ChunkCrc.combine(1, 2, length), 3, length);
      int rightFirst = ChunkCrc.combine(1, ChunkCrc.combine(2, 3, length), 2 * length);

      assertEquals(leftFirst, rightFirst, "length=" + length);
    }
  }

  @Test
  void shouldFindTheFirstChunkThatDiffers() {
    byte[] bytes = new byte[2 * 512 + 100];
    new Random(3).nextBytes(bytes);
    List<Integer> checksums = ChunkCrc.ofChunks(ByteBuffer.wrap(bytes), 512);

    assertEquals(3, checksums.size());
    assertEquals(-1, ChunkCrc.firstMismatch(ByteBuffer.wrap(bytes), checksums, 512));
    bytes[1100] ^= 1;
    assertEquals(2, ChunkCrc.firstMismatch(ByteBuffer.wrap(bytes), checksums, 512));
    bytes[511] ^= 1;
    assertEquals(0, ChunkCrc.firstMismatch(ByteBuffer.wrap(bytes), checksums, 512));
  }

  @Test
  void shouldRefuseAnotherNumberOfChecksumsThanChunks() {
    List<Integer> none = new ArrayList<>();

    assertThrows(
        IllegalArgumentException.class,
        () -> ChunkCrc.firstMismatch(ByteBuffer.allocate(1), none, 512));
  }
}

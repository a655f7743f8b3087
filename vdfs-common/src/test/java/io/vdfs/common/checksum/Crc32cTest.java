package io.vdfs.common.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Crc32cTest {
  @Test
  void shouldMatchTheKnownCrcOfNineDigits() {
    ByteBuffer digits = ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII));

    assertEquals(0xE3069283, Crc32c.of(digits));
  }

  @Test
  void shouldCombineLikeTheCrcOfTheWhole() {
    Random random = new Random(17);
    for (int round = 0; round < 500; round++) {
      byte[] whole = new byte[random.nextInt(5000)];
      random.nextBytes(whole);
      int cut = random.nextInt(whole.length + 1);
      int a = Crc32c.of(ByteBuffer.wrap(whole, 0, cut));
      int b = Crc32c.of(ByteBuffer.wrap(whole, cut, whole.length - cut));

      assertEquals(
          Crc32c.of(ByteBuffer.wrap(whole)),
          Crc32c.combine(a, b, whole.length - cut),
          "round=" + round + ", length=" + whole.length + ", cut=" + cut);
    }
  }

  @Test
  void shouldCombineByTablesAsWithoutThem() {
    Random random = new Random(5);
    for (long length : new long[] {0, 1, 512, 65_536, 65_537, 1L << 40}) {
      Crc32c.Combiner combiner = new Crc32c.Combiner(length);
      for (int round = 0; round < 200; round++) {
        int a = random.nextInt();
        int b = random.nextInt();
        assertEquals(Crc32c.combine(a, b, length), combiner.combine(a, b), "length=" + length);
      }
    }
  }

  @Test
  void shouldCombineAssociativelyForLengthsThatFitNoBuffer() {
    long[] lengths = {1, 1L << 31, (1L << 40) + 12_345, Long.MAX_VALUE / 16};
    for (long length : lengths) {
      int leftFirst = Crc32c.combine(Crc32c.combine(1, 2, length), 3, length);
      int rightFirst = Crc32c.combine(1, Crc32c.combine(2, 3, length), 2 * length);

      assertEquals(leftFirst, rightFirst, "length=" + length);
    }
  }
}

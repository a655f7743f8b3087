package io.vdfs.common.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VerifiedChunksTest {
  private static final int CHUNK = 512;

  private final byte[] bytes = new byte[4 * CHUNK];

  VerifiedChunksTest() {
    new Random(5).nextBytes(bytes);
  }

  private VerifiedChunks chunks(int from, int length) {
    return VerifiedChunks.compute(ByteBuffer.wrap(bytes, from, length), CHUNK);
  }

  @Test
  void shouldTellWhichChunkDiffers() {
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(bytes), CHUNK);
    bytes[2 * CHUNK] ^= 1;

    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                VerifiedChunks.verify(
                    ByteBuffer.wrap(bytes),
                    checksums,
                    CHUNK,
                    bad -> new IOException("bad=" + bad)));

    assertEquals("bad=2", thrown.getMessage());
  }

  @Test
  void shouldHandOverWhatFits() {
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(bytes, 512, 700), CHUNK);

    VerifiedChunks verified =
        VerifiedChunks.verify(
            ByteBuffer.wrap(bytes, 512, 700), checksums, CHUNK, bad -> new IllegalStateException());

    assertEquals(ByteBuffer.wrap(bytes, 512, 700), verified.data());
    assertEquals(700, verified.length());
    assertEquals(checksums, verified.checksums());
    verified.data().position(300);
    assertEquals(700, verified.data().remaining(), "each caller has a position of its own");
  }

  @Test
  void shouldRefuseAnotherNumberOfChecksumsThanChunks() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            VerifiedChunks.verify(
                ByteBuffer.wrap(bytes),
                ChunkChecksums.of(1),
                CHUNK,
                bad -> new IllegalStateException()));
  }

  @Test
  void shouldCollectChunksUpToALengthWithinOne() {
    VerifiedChunks.Collector collector = new VerifiedChunks.Collector(3 * CHUNK + 100, CHUNK);
    collector.add(chunks(0, 2 * CHUNK));
    assertFalse(collector.isFull());
    assertTrue(collector.isAligned());
    collector.add(chunks(2 * CHUNK, 2 * CHUNK));
    assertTrue(collector.isFull());

    VerifiedChunks all = collector.collected();

    byte[] wanted = Arrays.copyOf(bytes, 3 * CHUNK + 100);
    assertEquals(ByteBuffer.wrap(wanted), all.data());
    assertEquals(ChunkChecksums.compute(ByteBuffer.wrap(wanted), CHUNK), all.checksums());
  }

  @Test
  void shouldRefuseChunksBehindAPartialOne() {
    VerifiedChunks.Collector collector = new VerifiedChunks.Collector(4 * CHUNK, CHUNK);
    collector.add(chunks(0, 100));

    assertFalse(collector.isAligned());
    assertThrows(IllegalArgumentException.class, () -> collector.add(chunks(512, 512)));
    assertThrows(IllegalStateException.class, collector::collected);
  }
}

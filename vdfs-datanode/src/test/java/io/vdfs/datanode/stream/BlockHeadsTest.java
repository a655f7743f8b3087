package io.vdfs.datanode.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockHeadsTest {
  private static final int CHUNK = 512;
  private static final FileKey KEY = new FileKey(1, 1);

  private final Counters<StreamManagerCounter> counters =
      new Counters<>(StreamManagerCounter.class);
  private final BlockHeads heads = new BlockHeads(4 * CHUNK, 2, CHUNK, counters);
  private final byte[] content = content(1);

  private static byte[] content(int seed) {
    byte[] bytes = new byte[10 * CHUNK];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static ChunkChecksums checksums(byte[] bytes) {
    return ChunkChecksums.compute(ByteBuffer.wrap(bytes), CHUNK);
  }

  private static BlockData read(long block, int offset, byte[] content, int length) {
    byte[] bytes = Arrays.copyOfRange(content, offset, offset + length);
    return new BlockData(KEY, block, offset, Unpooled.wrappedBuffer(bytes), checksums(bytes));
  }

  private static BlockLocation place(long block, byte[] content) {
    return new BlockLocation(
        KEY,
        block,
        BlockRole.PRIMARY,
        0,
        Path.of("/d"),
        4096,
        content.length,
        1,
        checksums(content));
  }

  @Test
  void shouldGiveTheWholeChunksOfAHeadThatCoverARange() {
    heads.keep(read(3, 0, content, 10 * CHUNK));
    BlockData found = heads.find(place(3, content), CHUNK + 5, CHUNK).orElseThrow();
    assertEquals(CHUNK, found.offset());
    byte[] expected = Arrays.copyOfRange(content, CHUNK, 3 * CHUNK);
    assertArrayEquals(expected, ByteBufUtil.getBytes(found.data()));
    assertEquals(checksums(expected), found.checksums());
    assertEquals(1, counters.get(StreamManagerCounter.BLOCK_HEAD_HITS));
    found.data().release();
  }

  @Test
  void shouldNotGiveWhatItHasNot() {
    heads.keep(read(3, 0, content, 10 * CHUNK));
    assertTrue(heads.has(place(3, content), 0, 4 * CHUNK));
    assertFalse(heads.has(place(3, content), 1, 4 * CHUNK));
    assertFalse(heads.has(place(4, content), 0, 1));
    assertFalse(heads.has(place(3, content), 0, Integer.MAX_VALUE));
    heads.keep(read(5, CHUNK, content, 9 * CHUNK));
    heads.keep(read(6, 0, content, 3 * CHUNK));
    assertFalse(heads.has(place(5, content), CHUNK, 1));
    assertFalse(heads.has(place(6, content), 0, 1));
  }

  @Test
  void shouldForgetAHeadThatIsNoLongerWhatTheStoreHas() {
    heads.keep(read(3, 0, content, 10 * CHUNK));
    assertEquals(Optional.empty(), heads.find(place(3, content(2)), 0, 1));
    assertFalse(heads.has(place(3, Arrays.copyOf(content, 3 * CHUNK)), 0, 1));
  }

  @Test
  void shouldDropTheOldest() {
    heads.keep(read(1, 0, content, 10 * CHUNK));
    heads.keep(read(2, 0, content, 10 * CHUNK));
    heads.keep(read(1, 0, content, 10 * CHUNK));
    heads.keep(read(3, 0, content, 10 * CHUNK));
    assertTrue(heads.has(place(1, content), 0, 1));
    assertFalse(heads.has(place(2, content), 0, 1));
    assertTrue(heads.has(place(3, content), 0, 1));
  }

  @Test
  void shouldNotKeepWhatRottedAndOutliveItsRepair() {
    byte[] rotten = Arrays.copyOf(content, 10 * CHUNK);
    rotten[2 * CHUNK + 7] ^= 1;
    heads.keep(new BlockData(KEY, 3, 0, Unpooled.wrappedBuffer(rotten), checksums(content)));
    assertFalse(heads.has(place(3, content), 0, 1), "readers would meet it again");
    heads.keep(read(3, 0, content, 10 * CHUNK));
    assertTrue(heads.has(place(3, content), 0, 1));
  }

  @Test
  void shouldHoldNoMoreMemoryForAPartThanItHasBytes() {
    heads.keep(read(1, 0, content, 10 * CHUNK));
    BlockData part = heads.find(place(1, content), CHUNK, CHUNK).orElseThrow();
    byte[] other = content(2);
    for (long block = 2; block < 6; block++) {
      heads.keep(read(block, 0, other, 10 * CHUNK));
    }
    assertEquals(CHUNK, part.data().array().length);
    assertArrayEquals(
        Arrays.copyOfRange(content, CHUNK, 2 * CHUNK), ByteBufUtil.getBytes(part.data()));
    assertTrue(part.data().release(), "the last reference");
  }

  @Test
  void shouldNotOverwriteAHeadThatIsBeingSent() {
    heads.keep(read(1, 0, content, 10 * CHUNK));
    BlockData sent = heads.find(place(1, content), 0, 4 * CHUNK).orElseThrow();
    byte[] other = content(2);
    for (long block = 2; block < 6; block++) {
      heads.keep(read(block, 0, other, 10 * CHUNK));
    }
    assertFalse(heads.has(place(1, content), 0, 1));
    assertArrayEquals(Arrays.copyOf(content, 4 * CHUNK), ByteBufUtil.getBytes(sent.data()));
    assertTrue(sent.data().release(), "the last reference");
    BlockData last = heads.find(place(5, other), 0, 4 * CHUNK).orElseThrow();
    assertArrayEquals(Arrays.copyOf(other, 4 * CHUNK), ByteBufUtil.getBytes(last.data()));
    last.data().release();
  }
}

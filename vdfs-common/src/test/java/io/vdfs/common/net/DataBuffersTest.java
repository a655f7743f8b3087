package io.vdfs.common.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DataBuffersTest {
  private static final int PIECE = 512 << 10;
  private static final int PIECES = 8;

  @Test
  void shouldKeepItsMemoryWhileFewPiecesComeAndGo() {
    PooledByteBufAllocator pool = DataBuffers.newPool(1L << 30, 2);
    useAndRelease(pool);
    assertEquals(32 << 20, pool.metric().usedDirectMemory(), "after the first use");
    useAndRelease(pool);
    assertEquals(32 << 20, pool.metric().usedDirectMemory());
  }

  @Test
  void shouldTakeNoMoreThanAPartOfTheDirectMemory() {
    assertEquals(2, DataBuffers.newPool(1L << 30, 2).metric().numDirectArenas());
    assertEquals(1, DataBuffers.newPool(128L << 20, 8).metric().numDirectArenas());
    PooledByteBufAllocator small = DataBuffers.newPool(64L << 20, 8);
    assertEquals(1, small.metric().numDirectArenas());
    useAndRelease(small);
    assertTrue(
        small.metric().usedDirectMemory() <= 4 << 20,
        () -> "small chunks: " + small.metric().usedDirectMemory());
  }

  @Test
  void shouldGiveBuffersToWhichPagesAreCopiedFast() {
    List<ByteBuf> buffers = new ArrayList<>();
    for (int size : List.of(100, 4096, 256 << 10, 5 << 20)) {
      buffers.add(DataBuffers.pool().directBuffer(size, size));
      buffers.add(DataBuffers.windows().directBuffer(size, size));
      buffers.add(DataBuffers.kept(size));
    }
    for (ByteBuf buffer : buffers) {
      int offset = buffer.internalNioBuffer(0, 1).slice().alignmentOffset(0, DataBuffers.ALIGNMENT);
      assertEquals(0, offset, buffer::toString);
      assertEquals(0, buffer.readableBytes());
      buffer.release();
    }
  }

  private static void useAndRelease(PooledByteBufAllocator pool) {
    List<ByteBuf> pieces = new ArrayList<>();
    for (int i = 0; i < PIECES; i++) {
      pieces.add(pool.directBuffer(PIECE, PIECE));
    }
    pieces.forEach(ByteBuf::release);
  }
}

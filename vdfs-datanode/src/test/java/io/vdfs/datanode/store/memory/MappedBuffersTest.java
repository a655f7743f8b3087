package io.vdfs.datanode.store.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MappedBuffersTest {
  private static final int UNIT = MappedBuffers.UNIT;

  @TempDir private Path directory;

  private BlockBuffers open(int units) {
    return MappedBuffers.open((long) units * UNIT, directory);
  }

  private static ByteBuf taken(BlockBuffers buffers, int bytes) {
    return buffers.take(bytes).orElseThrow();
  }

  @Test
  void shouldLeaveNoNameBehindAndKeepBytesAllTheSame() throws IOException {
    BlockBuffers buffers = open(4);
    ByteBuf buffer = taken(buffers, 3 * UNIT);
    byte[] bytes = new byte[3 * UNIT];
    new Random(1).nextBytes(bytes);

    buffer.writeBytes(bytes);

    try (Stream<Path> entries = Files.list(directory)) {
      assertEquals(List.of(), entries.toList());
    }
    assertArrayEquals(bytes, ByteBufUtil.getBytes(buffer));
    buffer.release();
  }

  @Test
  void shouldGiveDirectBuffersOfTheSizeAskedFor() {
    ByteBuf buffer = taken(open(2), UNIT + 1);

    assertTrue(buffer.isDirect());
    assertEquals(UNIT + 1, buffer.capacity());
    assertEquals(UNIT + 1, buffer.maxCapacity());
    assertEquals(0, buffer.readableBytes());
    buffer.release();
  }

  @Test
  void shouldGiveNothingWhereNotAsMuchLiesTogether() {
    BlockBuffers buffers = open(4);
    ByteBuf first = taken(buffers, 1);
    ByteBuf second = taken(buffers, UNIT);
    ByteBuf third = taken(buffers, UNIT);
    second.release();

    assertEquals(Optional.empty(), buffers.take(2 * UNIT));
    assertEquals(Optional.empty(), buffers.take(Integer.MAX_VALUE));
    third.release();
    ByteBuf joined = taken(buffers, 3 * UNIT);
    assertEquals(Optional.empty(), buffers.take(1));
    first.release();
    joined.release();
    taken(buffers, 4 * UNIT).release();
  }

  @Test
  void shouldKeepUnitsUntilTheLastReferenceGoes() {
    BlockBuffers buffers = open(1);
    ByteBuf buffer = taken(buffers, 10).writeZero(10);
    ByteBuf part = buffer.readRetainedSlice(5);
    buffer.release();

    assertEquals(Optional.empty(), buffers.take(1));
    part.release();
    taken(buffers, 1).release();
  }

  @Test
  void shouldHandNoByteToTwo() throws Exception {
    BlockBuffers buffers = open(8);
    List<CompletableFuture<Integer>> all = new ArrayList<>();
    for (int thread = 1; thread <= 4; thread++) {
      byte mark = (byte) thread;
      all.add(CompletableFuture.supplyAsync(() -> markAll(buffers, mark)));
    }
    int marked = 0;
    for (CompletableFuture<Integer> one : all) {
      marked += one.get(30, TimeUnit.SECONDS);
    }
    assertTrue(marked > 0);
    taken(buffers, 8 * UNIT).release();
  }

  /** Returns how many buffers it got. */
  private static int markAll(BlockBuffers buffers, byte mark) {
    Random random = new Random(mark);
    byte[] expected = new byte[3 * UNIT];
    Arrays.fill(expected, mark);
    int got = 0;
    for (int n = 0; n < 500; n++) {
      int length = 1 + random.nextInt(expected.length);
      Optional<ByteBuf> buffer = buffers.take(length);
      if (buffer.isPresent()) {
        got++;
        buffer.get().writeBytes(expected, 0, length);
        assertArrayEquals(Arrays.copyOf(expected, length), ByteBufUtil.getBytes(buffer.get()));
        buffer.get().release();
      }
    }
    return got;
  }

  @Test
  void shouldMakeDoWithoutWhereThereCanBeNone() {
    assertSame(BlockBuffers.NONE, MappedBuffers.open(1 << 20, directory.resolve("gone")));
    assertSame(BlockBuffers.NONE, MappedBuffers.open(0, directory));
  }

  @Test
  void shouldReadBlocksIntoTheJvmsMemoryWhereNoneIsLeft() throws Exception {
    byte[] file = StoreFixture.content(3, 2 * StoreFixture.BLOCK);
    try (DiskBlockStore store =
        StoreOpener.open(
            new StoreContext(
                StoreFixture.config(StoreFixture.ONE_VOLUME),
                new SimulatedDisk(),
                ThreadingMode.CALLER,
                open(1)),
            (index, blocks) -> new HeapBlockIndex())) {
      BlockWriter writer = StoreFixture.writer(store, StoreFixture.KEY, 0, 1, 0);
      StoreFixture.append(writer, file, 0, file.length);
      writer.close(true);

      ByteBuf first = store.read(StoreFixture.KEY, 0, 0, StoreFixture.BLOCK, true).data();
      assertEquals(0, store.counters().get(StoreCounter.POOLED_READS));
      ByteBuf second = store.read(StoreFixture.KEY, 1, 0, StoreFixture.BLOCK, true).data();
      assertEquals(1, store.counters().get(StoreCounter.POOLED_READS));
      assertArrayEquals(Arrays.copyOf(file, StoreFixture.BLOCK), ByteBufUtil.getBytes(first));
      assertArrayEquals(
          Arrays.copyOfRange(file, StoreFixture.BLOCK, file.length), ByteBufUtil.getBytes(second));
      first.release();
      second.release();
      store.read(StoreFixture.KEY, 1, 0, StoreFixture.BLOCK, true).data().release();
      assertEquals(1, store.counters().get(StoreCounter.POOLED_READS));
    }
  }
}

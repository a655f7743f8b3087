package io.vdfs.datanode.store.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TalliedIndexTest {
  private static final int VOLUMES = 3;
  private static final int GROUP_BLOCKS = 4;
  private static final int BLOCKS = 10;

  private final TalliedIndex index = new TalliedIndex(new HeapBlockIndex(), GROUP_BLOCKS);
  private final Map<BlockKey, BlockEntry> model = new HashMap<>();

  private static BlockEntry entry(int volume, BlockRole role, int length) {
    return new BlockEntry(volume, role, 0, length, 1, 1, ChunkChecksums.of(new int[0]));
  }

  private static BlockKey key(long file, long block) {
    return new BlockKey(new FileKey(file, 1), block);
  }

  /** Writers of different files, each with its own blocks. */
  private static Map<BlockKey, BlockEntry> change(TalliedIndex index, long file)
      throws VdfsException {
    Random random = new Random(file);
    Map<BlockKey, BlockEntry> made = new HashMap<>();
    for (int step = 0; step < 5000; step++) {
      BlockKey key = key(file, random.nextInt(BLOCKS));
      if (random.nextInt(4) == 0) {
        index.remove(key);
        made.remove(key);
      } else {
        BlockRole role = random.nextBoolean() ? BlockRole.PRIMARY : BlockRole.REPLICA;
        BlockEntry entry = entry(random.nextInt(VOLUMES), role, random.nextInt(3) * 100);
        index.put(key, entry);
        made.put(key, entry);
      }
    }
    return made;
  }

  private void assertExact() {
    for (int volume = 0; volume < VOLUMES; volume++) {
      for (BlockRole role : BlockRole.values()) {
        BlockEntry place = entry(volume, role, 0);
        List<BlockKey> there = new ArrayList<>();
        model.forEach(
            (key, entry) -> {
              if (entry.volume() == place.volume()
                  && entry.role() == place.role()
                  && entry.length() > 0) {
                there.add(key);
              }
            });
        assertEquals(
            there.stream().filter(key -> key.block() % GROUP_BLOCKS == 0).count(),
            index.groups(volume, role));
        assertEquals(
            there.stream().mapToLong(key -> model.get(key).length()).sum(),
            index.bytes(volume, role));
      }
    }
  }

  @Test
  void shouldKnowWhatIsThereAfterChangesByMany() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Map<BlockKey, BlockEntry>>> writers = new ArrayList<>();
      for (long file = 1; file <= 16; file++) {
        long mine = file;
        writers.add(() -> change(index, mine));
      }
      for (Future<Map<BlockKey, BlockEntry>> writer : threads.invokeAll(writers)) {
        model.putAll(writer.get());
      }
    } finally {
      threads.shutdownNow();
    }
    assertExact();
    model.keySet().forEach(index::remove);
    model.clear();
    assertExact();
    assertEquals(0, index.size());
  }

  @Test
  void shouldCountAGroupWhereItsFirstBlockLies() throws VdfsException {
    index.put(key(1, 4), entry(0, BlockRole.PRIMARY, 10));
    index.put(key(1, 5), entry(1, BlockRole.REPLICA, 20));
    assertEquals(1, index.groups(0, BlockRole.PRIMARY));
    assertEquals(0, index.groups(1, BlockRole.REPLICA));
    assertEquals(20, index.bytes(1, BlockRole.REPLICA));
    index.put(key(1, 4), entry(1, BlockRole.REPLICA, 10));
    assertEquals(0, index.groups(0, BlockRole.PRIMARY));
    assertEquals(0, index.bytes(0, BlockRole.PRIMARY));
    assertEquals(1, index.groups(1, BlockRole.REPLICA));
    assertEquals(30, index.bytes(1, BlockRole.REPLICA));
    index.put(key(1, 4), entry(1, BlockRole.REPLICA, 0));
    assertEquals(0, index.groups(1, BlockRole.REPLICA), "was cut off");
  }

  @Test
  void shouldNotCountWhatDidNotFit() {
    TalliedIndex full = new TalliedIndex(new FullIndex(), GROUP_BLOCKS);
    assertThrows(VdfsException.class, () -> full.put(key(1, 0), entry(0, BlockRole.PRIMARY, 10)));
    assertEquals(0, full.groups(0, BlockRole.PRIMARY));
    assertEquals(0, full.bytes(0, BlockRole.PRIMARY));
  }

  /** Takes nothing. */
  private static final class FullIndex implements BlockIndex {
    @Override
    public Optional<BlockEntry> get(BlockKey key) {
      return Optional.empty();
    }

    @Override
    public void put(BlockKey key, BlockEntry entry) throws VdfsException {
      throw new VdfsException(ErrorCode.NO_SPACE, "full");
    }

    @Override
    public void remove(BlockKey key) {
      throw new AssertionError("nothing is there");
    }

    @Override
    public long size() {
      return 0;
    }

    @Override
    public void close() {
      // holds nothing
    }
  }
}

package io.vdfs.datanode.ledger.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RangeDequeTest {
  private static final int FILE_BLOCKS = 100;

  private static List<BlockRange> ranges(RangeDeque deque) {
    List<BlockRange> ranges = new ArrayList<>();
    for (int index = 0; index < deque.ranges(); index++) {
      ranges.add(deque.range(index));
    }
    return ranges;
  }

  @Test
  void shouldSplitARangeThatIsTakenInItsMiddle() {
    RangeDeque deque = new RangeDeque();
    deque.append(0, 0, 10);
    deque.append(1, 4, 6);
    deque.take(new BlockRange(0, 3, 2));
    deque.take(new BlockRange(1, 9, 1));
    assertEquals(
        List.of(new BlockRange(0, 0, 3), new BlockRange(0, 5, 5), new BlockRange(1, 4, 5)),
        ranges(deque));
    assertEquals(13, deque.blocks());
    assertFalse(deque.contains(new BlockRange(0, 2, 2)));
    assertFalse(deque.contains(new BlockRange(0, 3, 1)));
    assertTrue(deque.contains(new BlockRange(0, 6, 2)));
  }

  @Test
  void shouldFindTheFirstRangeThatEndsBehindABlock() {
    RangeDeque deque = new RangeDeque();
    deque.append(0, 0, 10);
    deque.append(2, 4, 6);
    deque.take(new BlockRange(0, 3, 2));
    assertEquals(0, deque.firstBehind(0, 1));
    assertEquals(1, deque.firstBehind(0, 4));
    assertEquals(2, deque.firstBehind(0, 10), "the next file");
    assertEquals(2, deque.firstBehind(1, 99));
    assertEquals(3, deque.firstBehind(2, 10), "behind the end");
  }

  @Test
  void shouldHoldWhatASetHoldsWhateverIsTaken() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RangeDeque deque = new RangeDeque();
      Set<Integer> blocks = new TreeSet<>();
      fill(deque, blocks, random);
      while (!blocks.isEmpty()) {
        BlockRange range = ranges(deque).get(random.nextInt(deque.ranges()));
        int skipped = random.nextInt(range.count());
        int count = 1 + random.nextInt(range.count() - skipped);
        BlockRange taken = new BlockRange(range.file(), range.first() + skipped, count);
        assertTrue(deque.contains(taken));
        deque.take(taken);
        for (int block = taken.first(); block < taken.end(); block++) {
          assertTrue(blocks.remove(taken.file() * FILE_BLOCKS + block), "seed=" + seed);
        }
        assertEquals(blocks, blocksOf(deque), "seed=" + seed);
        assertEquals(blocks.size(), deque.blocks());
      }
      assertEquals(0, deque.ranges());
    }
  }

  private static void fill(RangeDeque deque, Set<Integer> blocks, Random random) {
    for (int file = 0; file < 4; file++) {
      int first = random.nextInt(10);
      while (first < FILE_BLOCKS - 10) {
        int count = 1 + random.nextInt(10);
        deque.append(file, first, count);
        for (int block = first; block < first + count; block++) {
          blocks.add(file * FILE_BLOCKS + block);
        }
        first += count + random.nextInt(3);
      }
    }
  }

  private static Set<Integer> blocksOf(RangeDeque deque) {
    Set<Integer> blocks = new TreeSet<>();
    for (BlockRange range : ranges(deque)) {
      for (int block = range.first(); block < range.end(); block++) {
        blocks.add(range.file() * FILE_BLOCKS + block);
      }
    }
    return blocks;
  }
}

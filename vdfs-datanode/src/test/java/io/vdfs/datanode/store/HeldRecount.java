package io.vdfs.datanode.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.datanode.store.status.HeldBlocks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Counts block by block what a store says that it holds. Stateless. */
final class HeldRecount {
  private HeldRecount() {}

  /**
   * @param groups all that there can be in the store
   */
  static void assertExact(BlockStore store, List<ModelGroup> groups, String when) {
    List<BlockLocation> blocks = new ArrayList<>();
    for (ModelGroup group : groups) {
      long first = (long) group.group() * StoreFixture.GROUP_BLOCKS;
      for (long block = first; block < first + StoreFixture.GROUP_BLOCKS; block++) {
        Optional<BlockLocation> found = store.locate(group.key(), block);
        found.ifPresent(blocks::add);
      }
    }
    List<HeldBlocks> expected = new ArrayList<>();
    for (HeldBlocks place : store.held()) {
      List<BlockLocation> there = blocks.stream().filter(block -> liesIn(block, place)).toList();
      expected.add(
          new HeldBlocks(
              place.directory(),
              place.role(),
              there.stream()
                  .filter(block -> block.block() % StoreFixture.GROUP_BLOCKS == 0)
                  .count(),
              there.stream().mapToLong(BlockLocation::length).sum()));
    }
    assertEquals(expected, store.held(), when);
    assertEquals(
        blocks.stream().mapToLong(BlockLocation::length).sum(),
        store.held().stream().mapToLong(HeldBlocks::bytes).sum(),
        when);
  }

  private static boolean liesIn(BlockLocation block, HeldBlocks place) {
    return block.role() == place.role() && block.path().startsWith(place.directory());
  }
}

package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.mapreduce.plan.SplitPlanner.NodeShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SplitPlannerTest {
  private static final long LEAST = 128L << 20;
  private static final long UNLIMITED = Long.MAX_VALUE;

  @Test
  void shouldGiveOneSplitPerCoreWhenInputIsLarge() {
    assertEquals(
        List.of("a", "b", "c", "a", "b", "c"),
        SplitPlanner.plan(nodes(2, 10 * LEAST), 30 * LEAST, LEAST, UNLIMITED));
  }

  @Test
  void shouldGiveNoMoreSplitsThanTheInputIsWorth() {
    assertEquals(2, SplitPlanner.plan(nodes(2, 66L << 20), 200L << 20, LEAST, UNLIMITED).size());
  }

  @Test
  void shouldGiveOneSplitWhenNoLiveNodeOwnsAnything() {
    assertEquals(1, SplitPlanner.plan(nodes(2, 0), 10, LEAST, UNLIMITED).size());
  }

  @Test
  void shouldGiveNoSplitToANodeWithoutInput() {
    List<NodeShare> nodes = List.of(new NodeShare("a", 4, 0), new NodeShare("b", 4, 2 * LEAST + 1));
    assertEquals(List.of("b", "b", "b"), SplitPlanner.plan(nodes, 2 * LEAST + 1, LEAST, UNLIMITED));
  }

  @Test
  void shouldPlaceASingleSplitWhereMostBytesAre() {
    List<NodeShare> nodes =
        List.of(new NodeShare("a", 4, 9), new NodeShare("b", 4, 12), new NodeShare("c", 4, 11));
    assertEquals(List.of("b"), SplitPlanner.plan(nodes, 32, LEAST, UNLIMITED));
  }

  @Test
  void shouldPlaceTwoSplitsWhereMostBytesAre() {
    List<NodeShare> nodes =
        List.of(
            new NodeShare("a", 4, LEAST),
            new NodeShare("b", 4, LEAST / 8),
            new NodeShare("c", 4, LEAST / 2));
    assertEquals(
        List.of("a", "c"), SplitPlanner.plan(nodes, LEAST + LEAST / 8 * 5, LEAST, UNLIMITED));
  }

  @Test
  void shouldPlanWavesWhenTasksTakeALimitedAmount() {
    List<String> splits = SplitPlanner.plan(nodes(1, 10 * LEAST), 30 * LEAST, LEAST, 4 * LEAST);
    assertEquals(List.of("a", "b", "c", "a", "b", "c", "a", "b"), splits);
  }

  @Test
  void shouldPlanHalfAsManySurplusSplitsWhereTasksYield() {
    assertEquals(3, SplitPlanner.surplus(6, 30 * LEAST, LEAST));
    assertEquals(4, SplitPlanner.surplus(7, 30 * LEAST, LEAST));
  }

  @Test
  void shouldPlanNoSurplusThatLeavesLessThanTheLeastSplitToEach() {
    assertEquals(2, SplitPlanner.surplus(6, 8 * LEAST, LEAST));
    assertEquals(0, SplitPlanner.surplus(2, 200L << 20, LEAST));
    assertEquals(0, SplitPlanner.surplus(1, 10, LEAST));
  }

  @Test
  void shouldPlanMoreSurplusForALongJob() {
    assertEquals(128, SplitPlanner.surplus(12, 1L << 40, LEAST));
    assertEquals(SplitPlanner.MOST_TASKS - 12, SplitPlanner.surplus(12, Long.MAX_VALUE / 2, LEAST));
  }

  @Test
  void shouldKeepItsBoundsOnAnyCluster() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      List<NodeShare> nodes = new ArrayList<>();
      long total = 1;
      for (int i = 0; i <= random.nextInt(20); i++) {
        long bytes = random.nextLong(20 * LEAST);
        total += bytes;
        nodes.add(new NodeShare("n" + i, 1 + random.nextInt(16), bytes));
      }
      List<String> splits = SplitPlanner.plan(nodes, total, LEAST, UNLIMITED);
      assertTrue(!splits.isEmpty() && splits.size() <= (total + LEAST - 1) / LEAST, "seed " + seed);
      for (NodeShare node : nodes) {
        long there = splits.stream().filter(node.host()::equals).count();
        assertTrue(there <= node.cores() || splits.size() == 1, "seed " + seed);
      }
    }
  }

  private static List<NodeShare> nodes(int cores, long bytes) {
    return List.of(
        new NodeShare("a", cores, bytes),
        new NodeShare("b", cores, bytes),
        new NodeShare("c", cores, bytes));
  }
}

package io.vdfs.it.once;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OnceRunTest {
  private static final List<OnceRun> DEFAULT_RUNS = runs(3);
  private static final List<OnceRun> PROFILE_RUNS = runs(30);
  private static final Set<Integer> SHAPES = Set.of(0, 1);

  @Test
  void shouldStrikeWithEachFault() {
    assertEquals(EnumSet.allOf(Fault.class), EnumSet.copyOf(OnceRun.FAULTS));
    assertEquals(Fault.values().length, OnceRun.FAULTS.size());
    assertEquals(
        EnumSet.allOf(Fault.class), by(OnceRun::fault, OnceRun::number, PROFILE_RUNS).keySet());
  }

  @Test
  void shouldStrikeJobsOfBothShapesWithEachFault() {
    by(OnceRun::fault, OnceRun::reducers, PROFILE_RUNS)
        .forEach(
            (fault, shapes) ->
                assertEquals(fault.needsReducer() ? Set.of(1) : SHAPES, shapes, fault.toString()));
  }

  @Test
  void shouldGiveEachFaultTwoCommittersOrMore() {
    by(OnceRun::fault, OnceRun::committer, PROFILE_RUNS)
        .forEach((fault, committers) -> assertTrue(committers.size() > 1, fault.toString()));
  }

  @Test
  void shouldCommitJobsOfBothShapesWithEachCommitter() {
    Map<Committer, Set<Integer>> shapes = by(OnceRun::committer, OnceRun::reducers, PROFILE_RUNS);
    for (Committer committer : Committer.values()) {
      assertEquals(SHAPES, shapes.get(committer), committer.toString());
    }
  }

  @Test
  void shouldCombineEachFaultWithEachCommitterInBothShapesInSixRounds() {
    List<OnceRun> runs = runs(6 * OnceRun.FAULTS.size());
    by(OnceRun::fault, run -> List.of(run.committer(), run.reducers()), runs)
        .forEach(
            (fault, combinations) ->
                assertEquals(fault.needsReducer() ? 3 : 6, combinations.size(), fault.toString()));
  }

  @Test
  void shouldVaryTheRunsOfTheBuild() {
    assertEquals(
        EnumSet.allOf(Committer.class),
        DEFAULT_RUNS.stream().map(OnceRun::committer).collect(toSet()));
    assertEquals(SHAPES, DEFAULT_RUNS.stream().map(OnceRun::reducers).collect(toSet()));
  }

  @Test
  void shouldUseTheOldApiWhereItCanDoTheJob() {
    Map<Boolean, Set<OnceRun>> runs = by(OnceRun::oldApi, Function.identity(), PROFILE_RUNS);
    assertFalse(runs.get(false).isEmpty());
    assertFalse(runs.get(true).isEmpty());
    for (OnceRun run : runs.get(true)) {
      assertEquals(0, run.reducers(), run.toString());
      assertTrue(run.committer().isInOldApi(), run.toString());
    }
  }

  @Test
  void shouldKillDataNodesWithAndWithoutTasks() {
    Set<Integer> nodes = by(OnceRun::fault, OnceRun::node, PROFILE_RUNS).get(Fault.KILL_DATA_NODE);
    assertTrue(nodes.stream().anyMatch(node -> node < OnceCluster.NODE_MANAGERS), nodes.toString());
    assertTrue(
        nodes.stream().anyMatch(node -> node >= OnceCluster.NODE_MANAGERS), nodes.toString());
  }

  private static List<OnceRun> runs(int count) {
    return IntStream.range(0, count).mapToObj(OnceRun::of).toList();
  }

  private static <K, V> Map<K, Set<V>> by(
      Function<OnceRun, K> key, Function<OnceRun, V> value, List<OnceRun> runs) {
    return runs.stream().collect(groupingBy(key, mapping(value, toSet())));
  }
}

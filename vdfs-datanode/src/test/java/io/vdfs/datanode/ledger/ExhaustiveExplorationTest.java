package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ExhaustiveExplorationTest {
  private static final List<Integer> TWO_AND_TWO = List.of(0, 0, 1, 1);
  private static final List<Integer> TWO_AND_ONE = List.of(0, 0, 1);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldBeExactInEveryInterleaving(boolean closing) throws VdfsException {
    TestStream stream = threeBlocks();
    LedgerGraph graph = new LedgerGraph(LedgerHost::new, stream, 1);
    ExhaustiveExplorer explorer =
        new ExhaustiveExplorer(graph, stream.blocks(), closing, false, TWO_AND_TWO);
    int states = explorer.explore();
    assertTrue(states >= 100_000, () -> "too few to be all: states=" + states);
    assertTrue(explorer.completeStates() >= 1000, "jobs come to their end");
  }

  @Test
  void shouldBeExactWithSeveralRunsInAnAnswer() throws VdfsException {
    TestStream stream = sixFiles();
    LedgerGraph graph = new LedgerGraph(LedgerHost::new, stream, 2);
    ExhaustiveExplorer explorer =
        new ExhaustiveExplorer(graph, stream.blocks(), true, false, TWO_AND_ONE);
    int states = explorer.explore();
    assertTrue(states >= 10_000, () -> "too few to be all: states=" + states);
    assertTrue(explorer.completeStates() >= 100, "jobs come to their end");
    assertTrue(graph.takenTogether() > 0, "several runs were taken in one step");
  }

  @Test
  void shouldBeExactWhenMappersStop() throws VdfsException {
    TestStream stream = threeBlocks();
    LedgerGraph graph = new LedgerGraph(LedgerHost::new, stream, 1);
    ExhaustiveExplorer explorer =
        new ExhaustiveExplorer(graph, stream.blocks(), true, true, TWO_AND_ONE);
    int states = explorer.explore();
    assertTrue(states >= 10_000, () -> "too few to be all: states=" + states);
    assertTrue(explorer.completeStates() >= 100, "jobs come to their end");
    assertTrue(explorer.acceptedWithBlocksLeft() >= 100, "all mappers stop");
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "TAKES_REFUSED_CLOSE_FOR_STOP",
        "RETURNS_REST_OF_STOPPED_TASK",
        "FORGETS_WHO_STOPPED"
      })
  void shouldFindPlantedBugWhenMappersStop(PlantedBug bug) {
    Supplier<LedgerHost> hosts = bug::host;
    assertThrows(
        Violation.class,
        () ->
            new ExhaustiveExplorer(
                    new LedgerGraph(hosts, threeBlocks(), 1), 3, true, true, TWO_AND_ONE)
                .explore());
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "ENDS_WHEN_OWN_POOL_IS_EMPTY",
        "IGNORES_POSITION",
        "LEAVES_STOLEN_BLOCKS_WITH_VICTIM",
        "CLOSES_WITHOUT_GUARD",
        "FORGETS_LIST_OF_CLOSED_TASK"
      })
  void shouldFindPlantedBug(PlantedBug bug) {
    Supplier<LedgerHost> hosts = bug::host;
    assertThrows(
        Violation.class,
        () ->
            new ExhaustiveExplorer(
                    new LedgerGraph(hosts, threeBlocks(), 1), 3, true, false, TWO_AND_TWO)
                .explore());
  }

  /** The explorer's own check: a pool that is never drawn from leaves blocks behind. */
  @Test
  void shouldCountEveryBlockOfTheInput() {
    assertThrows(
        Violation.class,
        () ->
            new ExhaustiveExplorer(
                    new LedgerGraph(LedgerHost::new, threeBlocks(), 1),
                    4,
                    false,
                    false,
                    TWO_AND_TWO)
                .explore());
  }

  private static TestStream sixFiles() {
    TestStream stream = new TestStream(1, 2, 2, 2);
    for (int file = 0; file < 6; file++) {
      stream = stream.file(10, file % 2);
    }
    return stream;
  }

  private static TestStream threeBlocks() {
    return new TestStream(1, 2, 2, 2).file(15, 0).file(10, 1);
  }
}

package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ExhaustiveExplorationTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldBeExactInEveryInterleaving(boolean closing) throws VdfsException {
    TestStream stream = threeBlocks();
    LedgerGraph graph = new LedgerGraph(LedgerHost::new, stream);
    ExhaustiveExplorer explorer = new ExhaustiveExplorer(graph, stream.blocks(), closing);
    int states = explorer.explore();
    assertTrue(states >= 100_000, () -> "too few to be all: states=" + states);
    assertTrue(explorer.completeStates() >= 1000, "jobs come to their end");
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
        () -> new ExhaustiveExplorer(new LedgerGraph(hosts, threeBlocks()), 3, true).explore());
  }

  /** The explorer's own check: a pool that is never drawn from leaves blocks behind. */
  @Test
  void shouldCountEveryBlockOfTheInput() {
    assertThrows(
        Violation.class,
        () ->
            new ExhaustiveExplorer(new LedgerGraph(LedgerHost::new, threeBlocks()), 4, false)
                .explore());
  }

  private static TestStream threeBlocks() {
    return new TestStream(1, 2, 2, 2).file(15, 0).file(10, 1);
  }
}

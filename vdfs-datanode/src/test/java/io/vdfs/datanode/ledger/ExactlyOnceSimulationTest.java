package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExactlyOnceSimulationTest {
  private static final int SCHEDULES = 20_000;
  private static final int SEEDS_PER_BUG = 500;

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void shouldProcessEveryBlockExactlyOnceInEverySchedule() {
    EnumMap<Fault, Long> faults = new EnumMap<>(Fault.class);
    for (long seed = 0; seed < SCHEDULES; seed++) {
      JobSimulation.run(seed, new LedgerHost(), faults);
    }
    assertEquals(EnumSet.allOf(Fault.class), faults.keySet(), "every fault fires");
    for (Fault fault : Fault.values()) {
      assertTrue(faults.get(fault) >= 500, () -> "too rare: " + faults);
    }
  }

  @ParameterizedTest
  @EnumSource(PlantedBug.class)
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void shouldCatchPlantedBug(PlantedBug bug) {
    Violation found = null;
    for (long seed = 0; seed < SEEDS_PER_BUG && found == null; seed++) {
      try {
        JobSimulation.run(seed, bug.host(), new EnumMap<>(Fault.class));
      } catch (Violation violation) {
        found = violation;
      }
    }
    assertNotNull(found, () -> "not caught in " + SEEDS_PER_BUG + " schedules: " + bug);
  }
}

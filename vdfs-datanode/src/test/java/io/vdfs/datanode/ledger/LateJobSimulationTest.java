package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.ledger.LateJobSimulation.Job;
import io.vdfs.datanode.ledger.LateJobSimulation.Setting;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulation itself checks each yield; these tests check their effect. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LateJobSimulationTest {
  private static final int SEEDS = 40;

  @ParameterizedTest
  @CsvSource({"2, true", "2, false", "5, true", "5, false"})
  void shouldEndAllJobsAndYieldToThoseThatWait(int jobs, boolean shares) {
    int yields = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      LateJobSimulation run = LateJobSimulation.run(new Setting(seed, jobs, shares, true));
      yields += run.jobs().stream().mapToInt(job -> job.yields).sum();
    }
    assertTrue(yields > SEEDS / 2, "too rare: " + yields);
  }

  /** It asks when it has its master, which took a container that was freed in the same way. */
  @Test
  void shouldFreeAContainerSoonAfterAnotherJobAsksForOne() {
    for (long seed = 0; seed < SEEDS; seed++) {
      LateJobSimulation run = LateJobSimulation.run(new Setting(seed, 2, true, true));
      Job late = run.jobs().get(1);
      if (run.jobs().get(0).yields > 1) {
        long took = late.firstEndAfterMaster - late.masterStart;
        assertTrue(
            took <= 3 * run.grantMillis(0) / 2, "seed=" + seed + ", took=" + took + ", " + run);
      }
    }
  }

  @Test
  void shouldCostLittleAndLetTheLateJobBeginSoon() {
    long seeds = 0;
    double waited = 0;
    double waitedOtherwise = 0;
    double end = 0;
    double endOtherwise = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      LateJobSimulation yielding = LateJobSimulation.run(new Setting(seed, 2, true, true));
      LateJobSimulation usual = LateJobSimulation.run(new Setting(seed, 2, true, false));
      Job first = yielding.jobs().get(0);
      double cost = (double) first.containerMillis / usual.jobs().get(0).containerMillis;
      assertTrue(Math.abs(cost - 1) < 0.1, "seed=" + seed + ", cost=" + cost);
      if (first.yields > 1) {
        seeds++;
        waited += yielding.jobs().get(1).waitedMillis();
        waitedOtherwise += usual.jobs().get(1).waitedMillis();
        end += yielding.end();
        endOtherwise += usual.end();
      }
    }
    assertTrue(seeds > SEEDS / 2, "too rare: " + seeds);
    assertTrue(waited < waitedOtherwise / 10, waited / seeds + " of " + waitedOtherwise / seeds);
    assertTrue(end < 1.1 * endOtherwise, "all ended later: " + end / endOtherwise);
  }
}

package io.vdfs.common.segment;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two readers want the last slot: one of them gets it. */
@JCStressTest
@Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "the first one has it")
@Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "the second one has it")
@Outcome(expect = FORBIDDEN, desc = "both or none have it")
@State
public class TwoReadersRace {
  private final SlotTable table = new SlotTable(new SegmentLayout(1, 1));

  @Actor
  public void first(II_Result taken) {
    taken.r1 = table.takeAny().orElse(-1);
  }

  @Actor
  public void second(II_Result taken) {
    taken.r2 = table.takeAny().orElse(-1);
  }
}

package io.vdfs.common.segment;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** One slot is given while its neighbour is taken: neither is lost. */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "the one that was given is free")
@Outcome(expect = FORBIDDEN, desc = "a step was lost")
@State
public class NeighbourSlotsRace {
  private final SlotTable table = new SlotTable(new SegmentLayout(2, 1));

  /** Slot 0 is taken when the race begins. */
  public NeighbourSlotsRace() {
    table.take(0);
  }

  @Actor
  public void giver() {
    table.give(0);
  }

  @Actor
  public void taker(II_Result steps) {
    steps.r1 = table.take(1) ? 1 : 0;
  }

  @Arbiter
  public void count(II_Result steps) {
    steps.r2 = table.freeSlots();
  }
}

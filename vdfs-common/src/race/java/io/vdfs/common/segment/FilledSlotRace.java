package io.vdfs.common.segment;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** What was written into a slot before it was given is visible to the thread that takes it next. */
@JCStressTest
@Outcome(id = "-1", expect = ACCEPTABLE, desc = "not given yet")
@Outcome(id = "2", expect = ACCEPTABLE, desc = "given with its bytes")
@Outcome(expect = FORBIDDEN, desc = "given without its bytes")
@State
public class FilledSlotRace {
  private final SlotTable table = new SlotTable(new SegmentLayout(1, 1));
  private int bytes = 1;

  /** The slot is taken when the race begins. */
  public FilledSlotRace() {
    table.take(0);
  }

  @Actor
  public void holder() {
    bytes = 2;
    table.give(0);
  }

  @Actor
  public void next(I_Result seen) {
    seen.r1 = table.take(0) ? bytes : -1;
  }
}

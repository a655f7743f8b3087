package io.vdfs.common.segment;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who copies out of a slot and then gives it never sees what the next holder writes. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "its own bytes")
@Outcome(expect = FORBIDDEN, desc = "bytes of the next holder")
@State
public class CopiedSlotRace {
  private final SlotTable table = new SlotTable(new SegmentLayout(1, 1));
  private int bytes = 1;

  /** The slot is taken when the race begins. */
  public CopiedSlotRace() {
    table.take(0);
  }

  @Actor
  public void holder(I_Result copied) {
    copied.r1 = bytes;
    table.give(0);
  }

  @Actor
  public void next() {
    if (table.takeAny().isPresent()) {
      bytes = 2;
    }
  }
}

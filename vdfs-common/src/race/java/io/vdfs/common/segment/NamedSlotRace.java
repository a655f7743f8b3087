package io.vdfs.common.segment;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two requests name one slot: the node fills it for one of them. */
@JCStressTest
@Outcome(
    id = {"true, false", "false, true"},
    expect = ACCEPTABLE,
    desc = "one has it")
@Outcome(expect = FORBIDDEN, desc = "both or none have it")
@State
public class NamedSlotRace {
  private final SlotTable table = new SlotTable(new SegmentLayout(2, 1));

  @Actor
  public void first(ZZ_Result taken) {
    taken.r1 = table.take(1);
  }

  @Actor
  public void second(ZZ_Result taken) {
    taken.r2 = table.take(1);
  }
}

package io.vdfs.mapreduce;

import java.io.IOException;

/** Makes one step of reading fail, once. Confined to the test's thread. */
public final class Breakdown {
  /** What a reader does with a run. */
  public enum Step {
    DRAW,
    PIN,
    CREATE,
    INITIALIZE,
    READ,
    CLOSE,
    UNPIN
  }

  /** What happens in place of the step. */
  @FunctionalInterface
  public interface Failure {
    void fail() throws IOException;
  }

  private Step broken;
  private int passesLeft;
  private Failure failure = () -> {};

  /**
   * @param time which of the steps of that kind it is, from 1
   */
  public void at(Step step, int time, Failure instead) {
    broken = step;
    passesLeft = time;
    failure = instead;
  }

  /** Called where a step of that kind begins. */
  public void pass(Step step) throws IOException {
    if (step == broken && --passesLeft == 0) {
      failure.fail();
    }
  }
}

package io.vdfs.cli.progress;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Ends a wait in which nothing changes any more. Confined to the command's thread. */
public final class Patience {
  private final Duration limit;
  private final LongSupplier nanoClock;
  private Object state = this;
  private long since;

  /**
   * @param limit how long nothing may change
   */
  public Patience(Duration limit, LongSupplier nanoClock) {
    this.limit = limit;
    this.nanoClock = nanoClock;
  }

  public Duration limit() {
    return limit;
  }

  /**
   * Notes the state of what is waited for.
   *
   * @param now equal to the state before if nothing happened in between
   * @return whether it has been the same for longer than the limit
   */
  public boolean isOver(Object now) {
    long time = nanoClock.getAsLong();
    if (!now.equals(state)) {
      state = now;
      since = time;
    }
    return time - since > limit.toNanos();
  }
}

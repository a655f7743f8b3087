package io.vdfs.mapreduce;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Keeps what is scheduled until the test runs it. Confined to the test's thread. */
final class ManualExecutor extends ScheduledThreadPoolExecutor {
  final List<Long> delays = new ArrayList<>();
  private final List<Runnable> actions = new ArrayList<>();

  ManualExecutor() {
    super(0);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
    delays.add(unit.toNanos(delay));
    actions.add(action);
    return null;
  }

  /** Runs what was scheduled since. */
  void runAll() {
    List<Runnable> due = new ArrayList<>(actions);
    actions.clear();
    due.forEach(Runnable::run);
  }
}

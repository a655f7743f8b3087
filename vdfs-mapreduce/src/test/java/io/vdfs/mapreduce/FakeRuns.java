package io.vdfs.mapreduce;

import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.Breakdown.Step;
import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.settings.EarlyEnd;
import io.vdfs.mapreduce.settings.UnfinishedInput;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The runs of one task that gets a file of {@link #RUNS} blocks from a ledger in memory. Confined
 * to the test's thread.
 */
public final class FakeRuns implements InputRuns.Opener, RunFiles {
  public static final int RUNS = 3;

  private final Breakdown breakdown;
  private final FakeLedger ledger = new FakeLedger(RUNS, true);
  private final Map<StreamCounter, Long> counters = new EnumMap<>(StreamCounter.class);
  private long nanos;
  private int pins;

  public FakeRuns(Breakdown breakdown) {
    this.breakdown = breakdown;
  }

  /** Counters of the runs, besides those that the reader has. */
  public long counter(StreamCounter counter) {
    return counters.getOrDefault(counter, 0L);
  }

  /** Whether the attempt's committer would refuse it. */
  public static boolean isUnfinished(Configuration attempt) {
    return UnfinishedInput.isMarked(attempt);
  }

  /** How many runs are pinned now. */
  public int pins() {
    return pins;
  }

  @Override
  public TaskRuns open(LogicalSplit split, Configuration conf, RunMeter.Sink reader) {
    ManualExecutor executor = new ManualExecutor();
    RunMeter meter =
        new RunMeter(
            (counter, amount) -> {
              counters.merge(counter, amount, Long::sum);
              reader.add(counter, amount);
            },
            () -> nanos += 1_000_000,
            () -> 0);
    RunDrawer drawer =
        new RunDrawer(
            new StreamTask(StreamId.of(split.streamId()), split.ordinal()),
            EarlyEnd.of(conf),
            new BreakableLedger(),
            executor,
            meter,
            new Remainder(0),
            waited -> {});
    return new TaskRuns(this, executor, drawer, conf);
  }

  @Override
  public Path path(DrawnRun run) {
    return new Path("vdfs://test" + run.path());
  }

  @Override
  public AutoCloseable pin(DrawnRun run) throws IOException {
    breakdown.pass(Step.PIN);
    pins++;
    return () -> {
      pins--;
      breakdown.pass(Step.UNPIN);
    };
  }

  private final class BreakableLedger implements RunSource {
    @Override
    public RunAnswer next(RunQuestion question) throws IOException {
      breakdown.pass(Step.DRAW);
      return ledger.next(question);
    }

    @Override
    public boolean closeTask(StreamTask task) {
      return ledger.closeTask(task);
    }

    @Override
    public long remainingBlocks(StreamId stream) {
      return ledger.remainingBlocks(stream);
    }
  }
}

package io.vdfs.mapreduce;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamRun;
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

  /** Counters of the runs, beside those that the reader has. */
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
            ByteString.EMPTY,
            split.ordinal(),
            EarlyEnd.of(conf),
            new BreakableLedger(),
            executor,
            meter,
            new Remainder(0),
            waited -> {});
    return new TaskRuns(this, executor, drawer, conf);
  }

  @Override
  public Path path(StreamRun run) {
    return new Path("vdfs://test" + run.getPath());
  }

  @Override
  public AutoCloseable pin(StreamRun run) throws IOException {
    breakdown.pass(Step.PIN);
    pins++;
    return () -> {
      pins--;
      breakdown.pass(Step.UNPIN);
    };
  }

  private final class BreakableLedger implements RunSource {
    @Override
    public NextRunResult next(NextRunOp next) throws IOException {
      breakdown.pass(Step.DRAW);
      return ledger.next(next);
    }

    @Override
    public CloseTaskResult closeTask(CloseTaskOp close) {
      return ledger.closeTask(close);
    }

    @Override
    public long remainingBlocks(ByteString streamId) {
      return ledger.remainingBlocks(streamId);
    }
  }
}

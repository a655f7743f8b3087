package io.vdfs.mapreduce;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.concurrent.Interrupts;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.files.ReachedFiles;
import io.vdfs.mapreduce.files.StreamFileSystems;
import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.plan.TaskRun;
import io.vdfs.mapreduce.settings.EarlyEnd;
import io.vdfs.mapreduce.settings.StoppedInput;
import io.vdfs.mapreduce.settings.UnfinishedInput;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The runs of blocks that a task draws from the ledger, one after the other, each pinned to the
 * content that the job was planned on while it is being read.
 *
 * <p>The end of input is what the ledger states, with totals that must equal what was processed
 * here; every error is an exception. A run counts as processed once the next one is asked for, so
 * none can be drawn any more after a step from one run to the next has failed: the run would count
 * without having been read. Confined to the task's thread.
 */
public final class TaskRuns implements InputRuns {
  private static final String FETCHED_BYTES =
      IoCounter.BYTES_FETCHED_FROM_DISK.name().toLowerCase(Locale.ROOT);

  private final RunFiles files;
  private final ScheduledExecutorService executor;
  private final RunDrawer drawer;
  private final Configuration conf;
  private boolean mayStop = true;
  private boolean closed;
  private AutoCloseable pin;

  /** Why no run can be drawn any more. */
  private Throwable broken;

  /**
   * @param executor asks ahead; ended with the runs
   * @param conf of the task's attempt, which its committer sees too
   */
  TaskRuns(
      RunFiles files, ScheduledExecutorService executor, RunDrawer drawer, Configuration conf) {
    this.files = files;
    this.executor = executor;
    this.drawer = drawer;
    this.conf = conf;
    UnfinishedInput.mark(conf);
  }

  /**
   * @param split whose task this is
   * @param conf of the task's attempt, which its committer sees too
   */
  public static TaskRuns open(LogicalSplit split, Configuration conf, RunMeter.Sink counters)
      throws IOException {
    ReachedFiles reached = StreamFileSystems.of(split.getPath(), conf);
    VdfsClient client = reached.vdfs().vdfsClient();
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            DaemonThreads.named("vdfs-ask-ahead-" + split.ordinal()));
    RunDrawer drawer =
        new RunDrawer(
            new StreamTask(StreamId.of(split.streamId()), split.ordinal()),
            EarlyEnd.of(conf),
            source(client.ledger()),
            executor,
            new RunMeter(counters, System::nanoTime, () -> client.ioCounters().get(FETCHED_BYTES)),
            new Remainder(tasksAtOnce(conf) - 1),
            TaskRuns::pause);
    return new TaskRuns(files(reached), executor, drawer, conf);
  }

  private static int tasksAtOnce(Configuration conf) {
    int limit = conf.getInt(MRJobConfig.JOB_RUNNING_MAP_LIMIT, 0);
    int maps = conf.getInt(MRJobConfig.NUM_MAPS, 1);
    return limit > 0 ? Math.min(limit, maps) : maps;
  }

  private static RunFiles files(ReachedFiles reached) {
    return new RunFiles() {
      @Override
      public Path path(DrawnRun run) {
        return reached.outside().apply(inside(run));
      }

      private Path inside(DrawnRun run) {
        return reached.vdfs().makeQualified(new Path(run.path()));
      }

      @Override
      public AutoCloseable pin(DrawnRun run) throws IOException {
        return reached
            .vdfs()
            .pin(inside(run), run.file().fileId(), run.file().generation(), run.fileLength());
      }
    };
  }

  private static void pause(long nanos) throws InterruptedIOException {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      throw Interrupts.during("other tasks draw the rest", e);
    }
  }

  private static RunSource source(LedgerClient ledger) {
    return new RunSource() {
      @Override
      public RunAnswer next(RunQuestion question) throws IOException {
        return ledger.next(question);
      }

      @Override
      public boolean closeTask(StreamTask task) throws IOException {
        return ledger.closeTask(task);
      }

      @Override
      public long remainingBlocks(StreamId stream) throws IOException {
        return ledger.remainingBlocks(stream);
      }
    };
  }

  @Override
  public Optional<TaskRun> next() throws IOException {
    if (broken != null) {
      throw new IOException("nothing more can be read after an error: " + broken, broken);
    }
    if (closed) {
      throw new IOException("nothing more can be read after the end of reading");
    }
    unpin();
    Optional<DrawnRun> drawn = drawer.next();
    if (drawn.isEmpty()) {
      UnfinishedInput.unmark(conf);
      return Optional.empty();
    }
    DrawnRun run = drawn.get();
    pin = files.pin(run);
    return Optional.of(new TaskRun(files.path(run), run.offset(), run.bytes()));
  }

  @Override
  public void onBroken(Throwable failure) {
    if (broken == null) {
      broken = failure;
    }
  }

  /** The share of the whole job's blocks that some task owns: all tasks end together. */
  @Override
  public float progress() {
    return drawer.progress();
  }

  @Override
  public void onNoRecord() {
    mayStop = false;
  }

  private void unpin() throws IOException {
    if (pin == null) {
      return;
    }
    AutoCloseable ended = pin;
    pin = null;
    try {
      ended.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("cannot unpin what was read", e);
    }
  }

  /**
   * Ends reading. If the mapper could have gone on, its attempt may still succeed: the committer
   * then tells the ledger that it stopped. If it could not, and has not come to the end, the
   * committer refuses its attempt. A run that is being read does not count as processed.
   */
  @Override
  public void close() throws IOException {
    closed = true;
    drawer.close();
    executor.shutdown();
    if (mayStop) {
      mayStop = false;
      drawer.stop().ifPresent(this::leaveRest);
    }
    unpin();
  }

  private void leaveRest(StoppedTask stop) {
    StoppedInput.mark(conf, stop);
    UnfinishedInput.unmark(conf);
  }
}

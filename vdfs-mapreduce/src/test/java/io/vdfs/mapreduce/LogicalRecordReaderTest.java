package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.mapreduce.Breakdown.Step;
import io.vdfs.mapreduce.commit.AuditingCommitterFactory;
import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.settings.StoppedInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogicalRecordReaderTest {
  private static final List<String> FIRST_RUN = List.of("0/0", "0/1");
  private static final List<String> ALL = List.of("0/0", "0/1", "100/0", "100/1", "200/0", "200/1");

  /** Tries of the mapper that goes on after errors. */
  private static final int TRIES = 4;

  private final Breakdown breakdown = new Breakdown();
  private final FakeRuns runs = new FakeRuns(breakdown);
  private final JobConf conf = new JobConf(false);
  private final List<Throwable> failures = new ArrayList<>();
  private final LogicalRecordReader<String, String> reader =
      LogicalRecordReader.ofTask(new TwoRecordFormat(), runs);
  private int openReaders;

  @BeforeEach
  void initialize() throws IOException {
    reader.initialize(new LogicalSplit(), new TaskAttemptContextImpl(conf, new TaskAttemptID()));
  }

  @Test
  void shouldReadAllRecordsOfAllRuns() throws Exception {
    assertEquals(ALL, readOn());
    reader.close();
    assertEquals(List.of(), failures);
    assertFalse(FakeRuns.isUnfinished(conf));
    assertEquals(FakeRuns.RUNS, runs.counter(StreamCounter.BLOCKS));
    assertEquals(0, openReaders);
    assertEquals(0, runs.pins());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ")
  void shouldStayBrokenWhenTheStepToTheNextRunFails(Step step) throws Exception {
    IOException failure = new IOException("broken");
    breakdown.at(step, isOfTheRunBefore(step) ? 1 : 2, () -> throwing(failure));

    assertEquals(FIRST_RUN, readOn());

    assertBrokenBy(failure);
    assertEquals(isOfTheRunBefore(step) ? 0 : 1, runs.counter(StreamCounter.BLOCKS));
  }

  @Test
  void shouldStayBrokenWhenOpeningARunEndsWithAnError() throws Exception {
    OutOfMemoryError failure = new OutOfMemoryError("broken");
    breakdown.at(
        Step.INITIALIZE,
        2,
        () -> {
          throw failure;
        });

    assertEquals(FIRST_RUN, readOn());

    assertBrokenBy(failure);
    assertEquals(1, runs.counter(StreamCounter.BLOCKS));
  }

  @Test
  void shouldStayBrokenWhenTheFirstRunCannotBeOpened() throws Exception {
    IOException failure = new IOException("broken");
    breakdown.at(Step.INITIALIZE, 1, () -> throwing(failure));

    assertEquals(List.of(), readOn());

    assertBrokenBy(failure);
    assertEquals(0, runs.counter(StreamCounter.BLOCKS));
  }

  private static boolean isOfTheRunBefore(Step step) {
    return step == Step.CLOSE || step == Step.UNPIN;
  }

  private void assertBrokenBy(Throwable failure) throws IOException {
    assertEquals(TRIES, failures.size());
    assertSame(failure, failures.get(0));
    for (Throwable later : failures.subList(1, TRIES)) {
      assertInstanceOf(IOException.class, later);
      assertSame(failure, later.getCause());
    }
    reader.close();
    assertFalse(StoppedInput.isMarked(conf), "it is not the mapper's choice");
    assertTrue(FakeRuns.isUnfinished(conf), "so it cannot commit");
    assertEquals(0, openReaders);
    assertEquals(0, runs.pins());
  }

  /** As with static splits, where formats may skip a bad record this way. */
  @Test
  void shouldGoOnInARunWhenTheFormatDoes() throws Exception {
    IOException failure = new IOException("bad record");
    breakdown.at(Step.READ, 2, () -> throwing(failure));

    assertEquals(ALL, readOn());

    assertEquals(List.of(failure), failures);
    assertEquals(FakeRuns.RUNS, runs.counter(StreamCounter.BLOCKS));
    reader.close();
    assertFalse(FakeRuns.isUnfinished(conf), "it came to the end");
  }

  @Test
  void shouldLeaveTheAttemptUnfinishedWhenItsMapperEndsAfterAnError() throws Exception {
    breakdown.at(Step.READ, 2, () -> throwing(new IOException("bad record")));
    assertTrue(reader.nextKeyValue());
    assertThrows(IOException.class, reader::nextKeyValue);
    reader.close();
    assertTrue(FakeRuns.isUnfinished(conf));
    TaskAttemptContext committing = new TaskAttemptContextImpl(conf, new TaskAttemptID());
    OutputCommitter committer =
        new AuditingCommitterFactory().createOutputCommitter(null, committing);
    assertThrows(IOException.class, () -> committer.needsTaskCommit(committing));
  }

  @Test
  void shouldReadNothingMoreOnceItIsClosed() throws Exception {
    reader.nextKeyValue();
    reader.close();
    assertThrows(IOException.class, reader::nextKeyValue);
    assertTrue(StoppedInput.isMarked(conf), "the mapper could have gone on");
    assertFalse(FakeRuns.isUnfinished(conf));
  }

  /** As a mapper that catches errors and tries again does it. */
  private List<String> readOn() throws InterruptedException {
    List<String> records = new ArrayList<>();
    while (failures.size() < TRIES) {
      try {
        if (!reader.nextKeyValue()) {
          break;
        }
        records.add(reader.getCurrentKey());
      } catch (IOException | Error e) {
        failures.add(e);
      }
    }
    return records;
  }

  private static void throwing(IOException failure) throws IOException {
    throw failure;
  }

  /** Two records a run, named by its offset and their number. */
  private final class TwoRecordFormat extends FileInputFormat<String, String> {
    @Override
    public RecordReader<String, String> createRecordReader(
        InputSplit split, TaskAttemptContext context) throws IOException {
      breakdown.pass(Step.CREATE);
      openReaders++;
      return new TwoRecordReader(((FileSplit) split).getStart());
    }
  }

  private final class TwoRecordReader extends RecordReader<String, String> {
    private final long offset;
    private int next;

    private TwoRecordReader(long offset) {
      this.offset = offset;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
      breakdown.pass(Step.INITIALIZE);
    }

    @Override
    public boolean nextKeyValue() throws IOException {
      breakdown.pass(Step.READ);
      next++;
      return next <= 2;
    }

    @Override
    public String getCurrentKey() {
      return offset + "/" + (next - 1);
    }

    @Override
    public String getCurrentValue() {
      return getCurrentKey();
    }

    @Override
    public float getProgress() {
      return 0;
    }

    @Override
    public void close() throws IOException {
      openReaders--;
      breakdown.pass(Step.CLOSE);
    }
  }
}

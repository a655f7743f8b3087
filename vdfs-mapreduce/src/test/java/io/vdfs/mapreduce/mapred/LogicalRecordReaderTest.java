package io.vdfs.mapreduce.mapred;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.mapreduce.Breakdown;
import io.vdfs.mapreduce.Breakdown.Step;
import io.vdfs.mapreduce.FakeRuns;
import io.vdfs.mapreduce.StreamCounter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;
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
  private int openReaders;

  @Test
  void shouldReadAllRecordsOfAllRuns() throws IOException {
    RecordReader<Text, Text> reader = open();
    assertEquals(ALL, readOn(reader));
    reader.close();
    assertEquals(List.of(), failures);
    assertFalse(FakeRuns.isUnfinished(conf));
    assertEquals(FakeRuns.RUNS, runs.counter(StreamCounter.BLOCKS));
    assertEquals(0, openReaders);
    assertEquals(0, runs.pins());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"INITIALIZE", "READ"})
  void shouldStayBrokenWhenTheStepToTheNextRunFails(Step step) throws IOException {
    IOException failure = new IOException("broken");
    boolean ofTheRunBefore = step == Step.CLOSE || step == Step.UNPIN;
    RecordReader<Text, Text> reader = open();
    breakdown.at(step, 1, () -> throwing(failure));

    assertEquals(FIRST_RUN, readOn(reader));

    assertBrokenBy(failure, reader);
    assertEquals(ofTheRunBefore ? 0 : 1, runs.counter(StreamCounter.BLOCKS));
  }

  @Test
  void shouldStayBrokenWhenOpeningARunEndsWithAnError() throws IOException {
    OutOfMemoryError failure = new OutOfMemoryError("broken");
    RecordReader<Text, Text> reader = open();
    breakdown.at(
        Step.CREATE,
        1,
        () -> {
          throw failure;
        });

    assertEquals(FIRST_RUN, readOn(reader));

    assertBrokenBy(failure, reader);
    assertEquals(1, runs.counter(StreamCounter.BLOCKS));
  }

  private void assertBrokenBy(Throwable failure, RecordReader<Text, Text> reader)
      throws IOException {
    assertEquals(TRIES, failures.size());
    assertSame(failure, failures.get(0));
    for (Throwable later : failures.subList(1, TRIES)) {
      assertInstanceOf(IOException.class, later);
      assertSame(failure, later.getCause());
    }
    reader.close();
    assertEquals(0, runs.counter(StreamCounter.STOPPED_TASKS), "it is not the mapper's choice");
    assertTrue(FakeRuns.isUnfinished(conf), "so it cannot commit");
    assertEquals(0, openReaders);
    assertEquals(0, runs.pins());
  }

  @Test
  void shouldFailWhenTheFirstRunCannotBeOpened() {
    IOException failure = new IOException("broken");
    breakdown.at(Step.CREATE, 1, () -> throwing(failure));

    assertSame(failure, assertThrows(IOException.class, this::open));

    assertEquals(0, runs.counter(StreamCounter.BLOCKS));
    assertEquals(0, runs.counter(StreamCounter.STOPPED_TASKS));
    assertEquals(0, runs.pins());
  }

  /** As with static splits, where formats may skip a bad record this way. */
  @Test
  void shouldGoOnInARunWhenTheFormatDoes() throws IOException {
    IOException failure = new IOException("bad record");
    RecordReader<Text, Text> reader = open();
    breakdown.at(Step.READ, 2, () -> throwing(failure));

    assertEquals(ALL, readOn(reader));

    assertEquals(List.of(failure), failures);
    assertEquals(FakeRuns.RUNS, runs.counter(StreamCounter.BLOCKS));
    reader.close();
    assertFalse(FakeRuns.isUnfinished(conf), "it came to the end");
  }

  @Test
  void shouldLeaveTheAttemptUnfinishedWhenItsMapperEndsAfterAnError() throws IOException {
    RecordReader<Text, Text> reader = open();
    breakdown.at(Step.READ, 2, () -> throwing(new IOException("bad record")));
    Text key = reader.createKey();
    Text value = reader.createValue();
    assertTrue(reader.next(key, value));
    assertThrows(IOException.class, () -> reader.next(key, value));
    reader.close();
    assertTrue(FakeRuns.isUnfinished(conf), "it must not commit");
  }

  @Test
  void shouldReadNothingMoreOnceItIsClosed() throws IOException {
    RecordReader<Text, Text> reader = open();
    Text key = reader.createKey();
    Text value = reader.createValue();
    reader.next(key, value);
    reader.close();
    assertThrows(IOException.class, () -> reader.next(key, value));
    assertEquals(1, runs.counter(StreamCounter.STOPPED_TASKS), "the mapper could have gone on");
    assertFalse(FakeRuns.isUnfinished(conf));
  }

  private RecordReader<Text, Text> open() throws IOException {
    LogicalSplit split = new LogicalSplit();
    return LogicalRecordReader.open(new TwoRecordFormat(), split, conf, Reporter.NULL, runs);
  }

  /** As a mapper that catches errors and tries again does it. */
  private List<String> readOn(RecordReader<Text, Text> reader) {
    Text key = reader.createKey();
    Text value = reader.createValue();
    List<String> records = new ArrayList<>();
    while (failures.size() < TRIES) {
      try {
        if (!reader.next(key, value)) {
          break;
        }
        records.add(key.toString());
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
  private final class TwoRecordFormat extends FileInputFormat<Text, Text> {
    @Override
    public RecordReader<Text, Text> getRecordReader(
        InputSplit split, JobConf job, Reporter reporter) throws IOException {
      breakdown.pass(Step.CREATE);
      openReaders++;
      return new TwoRecordReader(((FileSplit) split).getStart());
    }
  }

  private final class TwoRecordReader implements RecordReader<Text, Text> {
    private final long offset;
    private int next;

    private TwoRecordReader(long offset) {
      this.offset = offset;
    }

    @Override
    public boolean next(Text key, Text value) throws IOException {
      breakdown.pass(Step.READ);
      key.set(offset + "/" + next);
      next++;
      return next <= 2;
    }

    @Override
    public Text createKey() {
      return new Text();
    }

    @Override
    public Text createValue() {
      return new Text();
    }

    @Override
    public long getPos() {
      return offset;
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

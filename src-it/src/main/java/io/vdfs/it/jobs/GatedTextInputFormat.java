package io.vdfs.it.jobs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;

/** Parses lines, and stops where {@link TaskGates} says. */
public final class GatedTextInputFormat extends TextInputFormat {
  /** A JVM runs one attempt, which has many readers: one for each run of blocks. */
  private static final AtomicLong RECORDS_OF_ATTEMPT = new AtomicLong();

  /** For instantiation by MapReduce. */
  public GatedTextInputFormat() {}

  @Override
  public RecordReader<LongWritable, Text> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new GatedReader();
  }

  private static final class GatedReader extends RecordReader<LongWritable, Text> {
    private final LineRecordReader lines = new LineRecordReader();
    private TaskAttemptContext context;
    private TaskGates gates;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext taskContext) throws IOException {
      context = taskContext;
      gates = TaskGates.of(context.getConfiguration());
      lines.initialize(split, context);
    }

    @Override
    public boolean nextKeyValue() throws IOException {
      if (!lines.nextKeyValue()) {
        return false;
      }
      gates.onRecord(context.getTaskAttemptID(), RECORDS_OF_ATTEMPT.incrementAndGet());
      return true;
    }

    @Override
    public LongWritable getCurrentKey() {
      return lines.getCurrentKey();
    }

    @Override
    public Text getCurrentValue() {
      return lines.getCurrentValue();
    }

    @Override
    public float getProgress() throws IOException {
      return lines.getProgress();
    }

    @Override
    public void close() throws IOException {
      lines.close();
    }
  }
}

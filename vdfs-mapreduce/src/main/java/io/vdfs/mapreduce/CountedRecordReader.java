package io.vdfs.mapreduce;

import io.vdfs.client.hadoop.locality.ReadLocality;
import java.io.IOException;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * The reader of a split, logical or static, whose bytes are counted by how far away they came from.
 * Confined to one thread at a time, as the reader is.
 */
final class CountedRecordReader<K, V> extends RecordReader<K, V> {
  private final RecordReader<K, V> reader;
  private final LocalityMeter meter;

  private CountedRecordReader(RecordReader<K, V> reader, LocalityMeter meter) {
    this.reader = reader;
    this.meter = meter;
  }

  /** Makes the reader of a split. */
  @FunctionalInterface
  interface Maker<K, V> {
    RecordReader<K, V> make() throws IOException, InterruptedException;
  }

  /**
   * @param context of the task, which has the counters
   */
  static <K, V> CountedRecordReader<K, V> of(Maker<K, V> maker, TaskAttemptContext context)
      throws IOException, InterruptedException {
    LocalityMeter meter =
        new LocalityMeter((counter, amount) -> context.getCounter(counter).increment(amount));
    ReadLocality before = meter.begin();
    try {
      return new CountedRecordReader<>(maker.make(), meter);
    } finally {
      meter.end(before);
    }
  }

  @Override
  public void initialize(InputSplit split, TaskAttemptContext context)
      throws IOException, InterruptedException {
    ReadLocality before = meter.begin();
    try {
      reader.initialize(split, context);
    } finally {
      meter.end(before);
    }
  }

  @Override
  public boolean nextKeyValue() throws IOException, InterruptedException {
    ReadLocality before = meter.begin();
    boolean more = false;
    try {
      more = reader.nextKeyValue();
      return more;
    } finally {
      meter.end(before);
      if (!more) {
        meter.count();
      }
    }
  }

  @Override
  public K getCurrentKey() throws IOException, InterruptedException {
    return reader.getCurrentKey();
  }

  @Override
  public V getCurrentValue() throws IOException, InterruptedException {
    return reader.getCurrentValue();
  }

  @Override
  public float getProgress() throws IOException, InterruptedException {
    return reader.getProgress();
  }

  @Override
  public void close() throws IOException {
    ReadLocality before = meter.begin();
    try {
      reader.close();
    } finally {
      meter.end(before);
      meter.count();
    }
  }
}

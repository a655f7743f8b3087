package io.vdfs.mapreduce.mapred;

import io.vdfs.client.hadoop.locality.ReadLocality;
import io.vdfs.mapreduce.LocalityMeter;
import java.io.IOException;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reporter;

/**
 * The reader of a split, logical or static, whose bytes are counted by how far away they came from.
 * Confined to one thread at a time, as the reader is.
 */
final class CountedRecordReader<K, V> implements RecordReader<K, V> {
  private final RecordReader<K, V> reader;
  private final LocalityMeter meter;

  private CountedRecordReader(RecordReader<K, V> reader, LocalityMeter meter) {
    this.reader = reader;
    this.meter = meter;
  }

  /** Opens a split. */
  @FunctionalInterface
  interface Opener<K, V> {
    RecordReader<K, V> open() throws IOException;
  }

  /**
   * @param reporter has the counters of the task
   */
  static <K, V> CountedRecordReader<K, V> open(Opener<K, V> opener, Reporter reporter)
      throws IOException {
    LocalityMeter meter =
        new LocalityMeter((counter, amount) -> TaskCounters.add(reporter, counter, amount));
    ReadLocality before = meter.begin();
    try {
      return new CountedRecordReader<>(opener.open(), meter);
    } finally {
      meter.end(before);
    }
  }

  @Override
  public boolean next(K key, V value) throws IOException {
    ReadLocality before = meter.begin();
    boolean more = false;
    try {
      more = reader.next(key, value);
      return more;
    } finally {
      meter.end(before);
      if (!more) {
        meter.count();
      }
    }
  }

  @Override
  public K createKey() {
    return reader.createKey();
  }

  @Override
  public V createValue() {
    return reader.createValue();
  }

  @Override
  public long getPos() throws IOException {
    return reader.getPos();
  }

  @Override
  public float getProgress() throws IOException {
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

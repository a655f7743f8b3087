package io.vdfs.it.once;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Checks each record and says who processed it. */
public final class PairMapper extends Mapper<LongWritable, Text, LongWritable, Text> {
  private static final int RECORDS_PER_REST = 100;

  private final LongWritable number = new LongWritable();
  private final Text attempt = new Text();
  private long restNanos;
  private long records;

  /** For instantiation by MapReduce. */
  public PairMapper() {}

  @Override
  protected void setup(Context context) {
    attempt.set(context.getTaskAttemptID().toString());
    restNanos =
        TimeUnit.MILLISECONDS.toNanos(context.getConfiguration().getLong(OnceJob.REST_MILLIS, 0));
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    number.set(NumberedRecord.parse(line.toString()));
    context.write(number, attempt);
    if (++records % RECORDS_PER_REST == 0 && restNanos > 0) {
      LockSupport.parkNanos(restNanos);
    }
  }
}

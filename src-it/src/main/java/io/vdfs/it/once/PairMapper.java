package io.vdfs.it.once;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Checks each record and writes which attempt processed it. */
public final class PairMapper extends Mapper<LongWritable, Text, LongWritable, Text> {
  private final LongWritable number = new LongWritable();
  private final Text attempt = new Text();
  private Rest rest;

  /** For instantiation by MapReduce. */
  public PairMapper() {}

  @Override
  protected void setup(Context context) {
    attempt.set(context.getTaskAttemptID().toString());
    rest = new Rest(context.getConfiguration());
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    number.set(NumberedRecord.parse(line.toString()));
    context.write(number, attempt);
    rest.onRecord();
  }
}

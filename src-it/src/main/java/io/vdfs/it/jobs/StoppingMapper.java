package io.vdfs.it.jobs;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Writes where each record begins, and stops after {@link #RECORDS}, well before the end of its
 * input. The first attempt of task 0 fails there.
 */
public final class StoppingMapper extends Mapper<LongWritable, Text, Text, NullWritable> {
  /** Records that a task reads. */
  public static final int RECORDS = 1_000;

  /** For instantiation by MapReduce. */
  public StoppingMapper() {}

  @Override
  public void run(Context context) throws IOException, InterruptedException {
    FileSplit split = (FileSplit) context.getInputSplit();
    for (int record = 0; record < RECORDS && context.nextKeyValue(); record++) {
      String place = split.getPath() + "+" + context.getCurrentKey();
      context.write(new Text(place), NullWritable.get());
    }
    if (context.getTaskAttemptID().getTaskID().getId() == 0
        && context.getTaskAttemptID().getId() == 0) {
      throw new IOException("the first attempt fails: " + context.getTaskAttemptID());
    }
  }
}

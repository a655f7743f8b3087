package io.vdfs.it.jobs;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Reads all of its input in task 0, and one record in every other task. If task 0 has to leave
 * blocks to the others, as in a job of several waves, some are read by no task.
 */
public final class LeavingMapper extends Mapper<LongWritable, Text, LongWritable, Text> {
  /** For instantiation by MapReduce. */
  public LeavingMapper() {}

  @Override
  public void run(Context context) throws IOException, InterruptedException {
    boolean readsAll = context.getTaskAttemptID().getTaskID().getId() == 0;
    boolean more = context.nextKeyValue();
    while (more) {
      context.write(context.getCurrentKey(), context.getCurrentValue());
      more = readsAll && context.nextKeyValue();
    }
  }
}

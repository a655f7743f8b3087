package io.vdfs.it.jobs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Reads all that it gets in the task that comes first, and after that one record in every other
 * task. As the first one has to leave blocks to the others, as in a job of several waves, some are
 * read by no task. The job names a directory of the local disk under {@link TaskGates#DIRECTORY}.
 */
public final class LeavingMapper extends Mapper<LongWritable, Text, LongWritable, Text> {
  /** For instantiation by MapReduce. */
  public LeavingMapper() {}

  @Override
  public void run(Context context) throws IOException, InterruptedException {
    Path directory = Path.of(context.getConfiguration().get(TaskGates.DIRECTORY));
    Gate read = new Gate(directory, "read");
    boolean readsAll = new Gate(directory, "first").openFirst();
    if (!readsAll) {
      read.await();
    }
    boolean more = context.nextKeyValue();
    while (more) {
      context.write(context.getCurrentKey(), context.getCurrentValue());
      more = readsAll && context.nextKeyValue();
    }
    if (readsAll) {
      read.open(context.getTaskAttemptID().toString());
    }
  }
}

package io.vdfs.it.once;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Counts how often each record arrived. */
public final class CountingReducer extends Reducer<LongWritable, Text, LongWritable, Text> {
  private final Text count = new Text();

  /** For instantiation by MapReduce. */
  public CountingReducer() {}

  @Override
  protected void setup(Context context) throws IOException {
    String gate = context.getConfiguration().get(OnceJob.REDUCE_GATE);
    if (gate != null) {
      OnceJob.awaitRelease(Path.of(gate));
    }
  }

  @Override
  protected void reduce(LongWritable number, Iterable<Text> attempts, Context context)
      throws IOException, InterruptedException {
    long times = 0;
    for (Text unused : attempts) {
      times++;
    }
    count.set(Long.toString(times));
    context.write(number, count);
  }
}

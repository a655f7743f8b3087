package io.vdfs.it.jobs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Reports that its task runs, and waits at a gate before the first record, so that tasks run at the
 * same time however few cores there are.
 */
public final class WaitingMapper extends Mapper<LongWritable, Text, LongWritable, Text> {
  /** Job property: a directory of the local disk that all tasks see. */
  public static final String DIRECTORY = "vdfs.it.waiting.directory";

  private static final String GO = "go";

  /** For instantiation by MapReduce. */
  public WaitingMapper() {}

  @Override
  protected void setup(Context context) throws IOException {
    Path directory = Path.of(context.getConfiguration().get(DIRECTORY));
    String attempt = context.getTaskAttemptID().toString();
    new Gate(directory, attempt).open(System.getenv("NM_HOST"));
    new Gate(directory, GO).await();
  }

  /** Releases all tasks that wait in a directory. */
  public static void release(Path directory) throws IOException {
    new Gate(directory, GO).open("");
  }
}

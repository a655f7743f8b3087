package io.vdfs.it.bench.costly;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * A mapper whose records cost a given time each, more on a slow node, more for expensive records.
 * Writes one line per task: what {@link LifeSpan} holds.
 *
 * <p>The time is waited for, not burnt, so that nodes on one machine do not take its cores from
 * each other: each node is then as fast as configured, however many there are.
 */
public final class CostlyMapper extends Mapper<LongWritable, Text, NullWritable, Text> {
  /** Job property: nanoseconds that an ordinary record costs on an ordinary node. */
  public static final String RECORD_NANOS = "vdfs.bench.record.nanos";

  /**
   * Job property: the host, as {@code NM_HOST} has it, of the node that is slow; none if not set.
   */
  static final String SLOW_HOST = "vdfs.bench.slow.host";

  /** Job property: how many times longer a record takes on the slow node. */
  static final String SLOW_FACTOR = "vdfs.bench.slow.factor";

  /** Job property: how many times longer an expensive record takes; 1, the default, for none. */
  static final String DEAR_FACTOR = "vdfs.bench.dear.factor";

  /** Job property: offset in its file at which the stretch with expensive records begins. */
  static final String DEAR_FROM = "vdfs.bench.dear.from";

  /** Job property: offset at which the stretch with expensive records ends. */
  static final String DEAR_TO = "vdfs.bench.dear.to";

  /**
   * In the stretch, the first {@link #DEAR_BYTES} of every so many bytes hold expensive records.
   */
  private static final int DEAR_PERIOD = 1 << 20;

  private static final int DEAR_BYTES = 1 << 16;

  private final Pace pace = new Pace(System::nanoTime);
  private long recordNanos;
  private long dearNanos;
  private long dearFrom;
  private long dearTo;
  private String host;
  private long records;
  private long dearRecords;

  /** For instantiation by MapReduce. */
  public CostlyMapper() {}

  @Override
  protected void setup(Context context) {
    Configuration conf = context.getConfiguration();
    host = System.getenv().getOrDefault("NM_HOST", "");
    boolean slow = host.equals(conf.get(SLOW_HOST));
    recordNanos = conf.getLong(RECORD_NANOS, 0) * (slow ? conf.getInt(SLOW_FACTOR, 1) : 1);
    dearNanos = recordNanos * conf.getInt(DEAR_FACTOR, 1);
    dearFrom = conf.getLong(DEAR_FROM, Long.MAX_VALUE);
    dearTo = conf.getLong(DEAR_TO, Long.MAX_VALUE);
  }

  @Override
  protected void map(LongWritable offset, Text line, Context context) {
    records++;
    if (isDear(offset.get())) {
      dearRecords++;
      pace.spend(dearNanos);
    } else {
      pace.spend(recordNanos);
    }
  }

  private boolean isDear(long offset) {
    return offset >= dearFrom && offset < dearTo && offset % DEAR_PERIOD < DEAR_BYTES;
  }

  @Override
  protected void cleanup(Context context) throws IOException, InterruptedException {
    pace.settle();
    LifeSpan span =
        new LifeSpan(
            context.getTaskAttemptID().getTaskID().getId(),
            host,
            ManagementFactory.getRuntimeMXBean().getStartTime(),
            System.currentTimeMillis(),
            records,
            dearRecords);
    context.write(NullWritable.get(), new Text(span.toLine()));
  }
}

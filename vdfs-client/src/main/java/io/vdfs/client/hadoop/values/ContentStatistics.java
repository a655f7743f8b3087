package io.vdfs.client.hadoop.values;

import io.vdfs.client.VdfsClient;
import java.util.Iterator;
import java.util.Map;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.DynamicIOStatisticsBuilder;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;

/**
 * Counts of reading and writing of files since the client was opened, for all filesystems that
 * share it. Thread-safe.
 */
public final class ContentStatistics extends StorageStatistics {
  private static final String NAME = "VdfsContent";

  private final VdfsClient client;

  /**
   * Statistics that show what the client counts at any time.
   *
   * @param client that counts
   */
  public ContentStatistics(VdfsClient client) {
    super(NAME);
    this.client = client;
  }

  @Override
  public Iterator<LongStatistic> getLongStatistics() {
    return client.ioCounters().entrySet().stream()
        .map(counter -> new LongStatistic(counter.getKey(), counter.getValue()))
        .iterator();
  }

  @Override
  public Long getLong(String key) {
    return client.ioCounters().get(key);
  }

  @Override
  public boolean isTracked(String key) {
    return client.ioCounters().containsKey(key);
  }

  /** The counts belong to all filesystems that share the client; they only rise. */
  @Override
  public void reset() {}

  /** The same counts as Hadoop's newer statistics have them. */
  public IOStatistics ioStatistics() {
    DynamicIOStatisticsBuilder counters = IOStatisticsBinding.dynamicIOStatistics();
    for (String name : client.ioCounters().keySet()) {
      counters.withLongFunctionCounter(name, key -> client.ioCounters().get(key));
    }
    return counters.build();
  }

  /** Every counter and its value. */
  @Override
  public String toString() {
    Map<String, Long> counters = client.ioCounters();
    return getName() + counters;
  }
}

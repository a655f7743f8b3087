package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.StreamCounter;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;

/** Counters of a task of the old API. Stateless. */
final class TaskCounters {
  private TaskCounters() {}

  /** Counts nothing with {@link Reporter#NULL}, which readers outside of MapReduce pass. */
  static void add(Reporter reporter, StreamCounter counter, long amount) {
    Counters.Counter found = reporter.getCounter(counter);
    if (found != null) {
      found.increment(amount);
    }
  }
}

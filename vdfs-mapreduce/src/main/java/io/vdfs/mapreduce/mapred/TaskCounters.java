package io.vdfs.mapreduce.mapred;

import io.vdfs.mapreduce.StreamCounter;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;

/** Counters of a task of the old API. Stateless. */
final class TaskCounters {
  private TaskCounters() {}

  /** Of {@link Reporter#NULL}, with which others than MapReduce read, nothing is counted. */
  static void add(Reporter reporter, StreamCounter counter, long amount) {
    Counters.Counter found = reporter.getCounter(counter);
    if (found != null) {
      found.increment(amount);
    }
  }
}

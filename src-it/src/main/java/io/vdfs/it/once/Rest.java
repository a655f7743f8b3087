package io.vdfs.it.once;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;

/** Pauses after every hundred records, so that there is time for faults. Confined to the task. */
final class Rest {
  private static final int RECORDS_PER_REST = 100;

  private final long nanos;
  private long records;

  Rest(Configuration job) {
    this.nanos = TimeUnit.MILLISECONDS.toNanos(job.getLong(OnceJob.REST_MILLIS, 0));
  }

  void onRecord() {
    if (++records % RECORDS_PER_REST == 0 && nanos > 0) {
      LockSupport.parkNanos(nanos);
    }
  }
}

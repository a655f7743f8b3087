package io.vdfs.mapreduce.commit;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.AuditedInput;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.files.StreamFileSystems;
import io.vdfs.mapreduce.settings.InputKeys;
import io.vdfs.mapreduce.settings.StoppedInput;
import java.io.IOException;
import java.lang.ref.Reference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream whose id stands in the job's configuration. Holds the filesystem while it calls: where
 * filesystems are not cached no other object does, and its client ends with it. Stateless.
 */
final class LedgerStream implements JobStream {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStream.class);

  /** A call to the ledger. */
  @FunctionalInterface
  private interface Call {
    void on(LedgerClient ledger) throws IOException;
  }

  @Override
  public void requireJar() {
    // this class is not among those that travel with a job
  }

  @Override
  public void audit(Configuration job) throws IOException {
    ask(job, ledger -> logPassed(ledger.audit(streamId(job))));
  }

  private static void logPassed(AuditedInput audit) {
    LOG.info(
        "audit passed: tasks={}, files={}, blocks={}, bytes={}, stolen blocks={}, stopped tasks={},"
            + " undrawn blocks={}",
        audit.tasks(),
        audit.files(),
        audit.totals().blocks(),
        audit.totals().bytes(),
        audit.stolenBlocks(),
        audit.stoppedTasks(),
        audit.undrawnBlocks());
  }

  @Override
  public void stop(Configuration task) throws IOException {
    StoppedTask stopped = StoppedInput.of(task);
    ask(task, ledger -> ledger.stopTask(stopped));
  }

  @Override
  public void begin(Configuration job) throws IOException {
    ask(job, ledger -> ledger.begin(streamId(job)));
  }

  @Override
  public void renew(Configuration job) throws IOException {
    ask(job, ledger -> ledger.renew(streamId(job)));
  }

  @Override
  public void release(Configuration job) throws IOException {
    ask(job, ledger -> ledger.release(streamId(job)));
    LOG.info("stream given up: id={}", job.get(InputKeys.STREAM_ID));
  }

  private static void ask(Configuration job, Call call) throws IOException {
    Path place = new Path(job.get(InputKeys.STREAM_FILESYSTEM));
    VdfsFileSystem fileSystem = StreamFileSystems.of(place, job).vdfs();
    try {
      call.on(fileSystem.vdfsClient().ledger());
    } finally {
      Reference.reachabilityFence(fileSystem);
    }
  }

  private static StreamId streamId(Configuration job) {
    return StreamId.parse(job.get(InputKeys.STREAM_ID));
  }
}

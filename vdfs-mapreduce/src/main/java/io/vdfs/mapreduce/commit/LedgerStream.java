package io.vdfs.mapreduce.commit;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.RenewStreamOp;
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
 * filesystems are not cached nobody else does, and its client ends with it. Stateless.
 */
final class LedgerStream implements JobStream {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStream.class);

  /** A call to the ledger. */
  @FunctionalInterface
  private interface Call<T> {
    T on(LedgerClient ledger) throws IOException;
  }

  @Override
  public void requireJar() {
    // this class is not among those that travel with a job
  }

  @Override
  public void audit(Configuration job) throws IOException {
    AuditStreamQuery query =
        AuditStreamQuery.newBuilder().setStreamId(streamId(job)).setByFinishedMarks(true).build();
    AuditStreamResult result = ask(job, ledger -> ledger.audit(query));
    LOG.info(
        "audit passed: tasks={}, files={}, blocks={}, bytes={}, stolen blocks={}, stopped tasks={},"
            + " undrawn blocks={}",
        result.getTasks(),
        result.getFiles(),
        result.getTotals().getBlocks(),
        result.getTotals().getBytes(),
        result.getStolenBlocks(),
        result.getStoppedTasks(),
        result.getUndrawnBlocks());
  }

  @Override
  public void stop(Configuration task) throws IOException {
    CloseTaskOp request = StoppedInput.of(task);
    ask(task, ledger -> ledger.closeTask(request));
  }

  @Override
  public void begin(Configuration job) throws IOException {
    RenewStreamOp request =
        RenewStreamOp.newBuilder().setStreamId(streamId(job)).setBegins(true).build();
    ask(job, ledger -> ledger.renew(request));
  }

  @Override
  public void renew(Configuration job) throws IOException {
    RenewStreamOp request = RenewStreamOp.newBuilder().setStreamId(streamId(job)).build();
    ask(job, ledger -> ledger.renew(request));
  }

  @Override
  public void release(Configuration job) throws IOException {
    ReleaseStreamOp request = ReleaseStreamOp.newBuilder().setStreamId(streamId(job)).build();
    ask(job, ledger -> ledger.release(request));
    LOG.info("stream given up: id={}", job.get(InputKeys.STREAM_ID));
  }

  private static <T> T ask(Configuration job, Call<T> call) throws IOException {
    Path place = new Path(job.get(InputKeys.STREAM_FILESYSTEM));
    VdfsFileSystem fileSystem = StreamFileSystems.of(place, job).vdfs();
    try {
      return call.on(fileSystem.vdfsClient().ledger());
    } finally {
      Reference.reachabilityFence(fileSystem);
    }
  }

  private static ByteString streamId(Configuration job) {
    return ByteString.copyFrom(
        BaseEncoding.base16().lowerCase().decode(job.get(InputKeys.STREAM_ID)));
  }
}

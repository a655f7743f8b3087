package io.vdfs.mapreduce;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.LedgerClient;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.RenewStreamOp;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stream whose id stands in the job's configuration. Stateless. */
final class LedgerStream implements JobStream {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerStream.class);

  @Override
  public void audit(Configuration job) throws IOException {
    AuditStreamQuery query =
        AuditStreamQuery.newBuilder().setStreamId(streamId(job)).setByFinishedMarks(true).build();
    AuditStreamResult result = ledger(job).audit(query);
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
    byte[] stop = BaseEncoding.base16().lowerCase().decode(task.get(InputKeys.STOPPED));
    ledger(task).closeTask(CloseTaskOp.parseFrom(stop));
  }

  @Override
  public void renew(Configuration job) throws IOException {
    ledger(job).renew(RenewStreamOp.newBuilder().setStreamId(streamId(job)).build());
  }

  @Override
  public void release(Configuration job) throws IOException {
    ledger(job).release(ReleaseStreamOp.newBuilder().setStreamId(streamId(job)).build());
    LOG.info("stream given up: id={}", job.get(InputKeys.STREAM_ID));
  }

  private static LedgerClient ledger(Configuration job) throws IOException {
    URI uri = URI.create(job.get(InputKeys.STREAM_FILESYSTEM));
    return StreamFileSystems.of(uri, job).vdfsClient().ledger();
  }

  private static ByteString streamId(Configuration job) {
    return ByteString.copyFrom(
        BaseEncoding.base16().lowerCase().decode(job.get(InputKeys.STREAM_ID)));
  }
}

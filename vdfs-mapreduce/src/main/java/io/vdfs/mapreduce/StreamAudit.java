package io.vdfs.mapreduce;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.LedgerClient;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to a job's stream when the job ends. A committed job keeps its stream, so that a
 * commit repeated after a restart of the ApplicationMaster can be audited again; it expires. A job
 * that is aborted for good gives it up. Stateless.
 */
final class StreamAudit {
  private static final Logger LOG = LoggerFactory.getLogger(StreamAudit.class);

  private StreamAudit() {}

  /**
   * @throws IOException if the tasks did not process every block once, or the ledger cannot be
   *     asked
   */
  static void run(Configuration conf) throws IOException {
    AuditStreamQuery audit =
        AuditStreamQuery.newBuilder().setStreamId(streamId(conf)).setByFinishedMarks(true).build();
    AuditStreamResult result = ledger(conf).audit(audit);
    LOG.info(
        "audit passed: tasks={}, files={}, blocks={}, bytes={}, stolen blocks={}",
        result.getTasks(),
        result.getFiles(),
        result.getTotals().getBlocks(),
        result.getTotals().getBytes(),
        result.getStolenBlocks());
  }

  static void release(Configuration conf) throws IOException {
    ledger(conf).release(ReleaseStreamOp.newBuilder().setStreamId(streamId(conf)).build());
    LOG.info("stream given up: id={}", conf.get(InputKeys.STREAM_ID));
  }

  private static LedgerClient ledger(Configuration conf) throws IOException {
    URI uri = URI.create(conf.get(InputKeys.STREAM_FILESYSTEM));
    return StreamFileSystems.of(uri, conf).vdfsClient().ledger();
  }

  private static ByteString streamId(Configuration conf) {
    return ByteString.copyFrom(
        BaseEncoding.base16().lowerCase().decode(conf.get(InputKeys.STREAM_ID)));
  }
}

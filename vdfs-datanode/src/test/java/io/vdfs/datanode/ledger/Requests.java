package io.vdfs.datanode.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.AuditStreamQuery;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.ExpireStreamsOp;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.ReleaseStreamOp;
import io.vdfs.common.wire.proto.RenewStreamOp;
import io.vdfs.common.wire.proto.StoppedReading;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamTotals;
import io.vdfs.common.wire.proto.TaskReport;
import java.util.List;

/** Requests and queries of tests. */
final class Requests {
  private Requests() {}

  static NextRunOp.Builder next(ByteString stream, int task, int position, int node, int wanted) {
    return NextRunOp.newBuilder()
        .setStreamId(stream)
        .setTask(task)
        .setPosition(position)
        .setNode(node < 0 ? ByteString.EMPTY : TestStream.node(node))
        .setWantedBlocks(wanted);
  }

  static LedgerRequest of(NextRunOp.Builder next) {
    return LedgerRequest.newBuilder().setNext(next).build();
  }

  static LedgerRequest close(ByteString stream, int task) {
    return LedgerRequest.newBuilder()
        .setCloseTask(CloseTaskOp.newBuilder().setStreamId(stream).setTask(task))
        .build();
  }

  /** The mapper of an attempt stopped after {@code runs} runs. */
  static LedgerRequest stop(ByteString stream, int task, int runs, StreamTotals processed) {
    StoppedReading.Builder stopped =
        StoppedReading.newBuilder().setRuns(runs).setProcessed(processed);
    return LedgerRequest.newBuilder()
        .setCloseTask(
            CloseTaskOp.newBuilder().setStreamId(stream).setTask(task).setStopped(stopped))
        .build();
  }

  static LedgerRequest renew(ByteString stream) {
    return LedgerRequest.newBuilder()
        .setRenew(RenewStreamOp.newBuilder().setStreamId(stream))
        .build();
  }

  /** The master of the job runs. */
  static LedgerRequest begin(ByteString stream) {
    return LedgerRequest.newBuilder()
        .setRenew(RenewStreamOp.newBuilder().setStreamId(stream).setBegins(true))
        .build();
  }

  static LedgerRequest release(ByteString stream) {
    return LedgerRequest.newBuilder()
        .setRelease(ReleaseStreamOp.newBuilder().setStreamId(stream))
        .build();
  }

  static LedgerRequest expire() {
    return LedgerRequest.newBuilder().setExpire(ExpireStreamsOp.getDefaultInstance()).build();
  }

  static LedgerQuery status(ByteString stream) {
    return LedgerQuery.newBuilder()
        .setStatus(StreamStatusQuery.newBuilder().setStreamId(stream))
        .build();
  }

  static LedgerQuery audit(ByteString stream, List<TaskReport> reports) {
    return LedgerQuery.newBuilder()
        .setAudit(AuditStreamQuery.newBuilder().setStreamId(stream).addAllReports(reports))
        .build();
  }

  static LedgerQuery auditByMarks(ByteString stream) {
    return LedgerQuery.newBuilder()
        .setAudit(AuditStreamQuery.newBuilder().setStreamId(stream).setByFinishedMarks(true))
        .build();
  }
}

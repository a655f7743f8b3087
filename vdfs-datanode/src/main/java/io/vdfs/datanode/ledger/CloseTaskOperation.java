package io.vdfs.datanode.ledger;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.TaskClosedRecord;

/**
 * Ends the list of a task that shall get no more: waves of tasks, mappers that stop early. Guard:
 * another open task must remain to drain the pool, and the job must audit at commit. Pure.
 */
final class CloseTaskOperation {
  private CloseTaskOperation() {}

  static LedgerOutcome execute(StreamTable streams, CloseTaskOp op, Caller caller, long timeMillis)
      throws VdfsException {
    StreamState stream = streams.requireSealed(op.getStreamId(), caller);
    TaskList list = StreamTable.task(stream, op.getTask());
    if (!stream.header().getAudited()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a task may close early only in a stream that was created as audited: "
              + stream
              + ", task="
              + op.getTask());
    }
    if (list.closed() || !stream.hasOtherOpenTask(op.getTask())) {
      return LedgerOutcome.of(result(list, list.closed()));
    }
    TaskClosedRecord.Builder closed =
        TaskClosedRecord.newBuilder()
            .setTask(op.getTask())
            .setExpiresMillis(Lease.expiry(stream, timeMillis));
    LedgerRecord record =
        LedgerRecord.newBuilder().setStreamId(op.getStreamId()).setTaskClosed(closed).build();
    return LedgerOutcome.of(result(list, true), record);
  }

  private static LedgerResponse.Builder result(TaskList list, boolean closed) {
    return LedgerResponse.newBuilder()
        .setCloseTask(CloseTaskResult.newBuilder().setClosed(closed).setRuns(list.size()));
  }
}

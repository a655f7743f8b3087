package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.TaskClosedRecord;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import io.vdfs.datanode.ledger.state.TaskList;
import io.vdfs.datanode.ledger.state.Totals;

/**
 * Ends the list of a task that shall get no more: waves of tasks, mappers that stop early. The job
 * must audit at commit. Guard: another open task must remain to drain the pool, unless the mapper
 * stopped: then it cannot be made to go on, and the audit judges what is left.
 */
final class CloseTaskOperation implements LedgerOperation {
  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    CloseTaskOp op = request.getCloseTask();
    StreamState stream = context.streams().requireSealed(op.getStreamId(), context.caller());
    TaskList list = StreamTable.task(stream, op.getTask());
    if (!stream.header().getAudited()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a task may close early only in a stream that was created as audited: %s, task=%s"
              .formatted(stream, op.getTask()));
    }
    if (op.hasStopped()) {
      check(stream, list, op);
    }
    boolean closes =
        op.hasStopped() ? !list.stopped() : !list.closed() && stream.hasOtherOpenTask(op.getTask());
    if (!closes) {
      return result(list, list.closed());
    }
    TaskClosedRecord.Builder closed =
        TaskClosedRecord.newBuilder()
            .setTask(op.getTask())
            .setStopped(op.hasStopped())
            .setExpiresMillis(Lease.expiry(stream, context.timeMillis()));
    changes.add(LedgerChanges.of(op.getStreamId()).setTaskClosed(closed).build());
    return result(list, true);
  }

  /** The runs that the attempt processed must be a beginning of the list. */
  private static void check(StreamState stream, TaskList list, CloseTaskOp op)
      throws VdfsException {
    int runs = op.getStopped().getRuns();
    Totals processed = Totals.of(op.getStopped().getProcessed());
    if (runs < 0 || runs > list.size() || !processed.equals(list.totals(runs, stream.files()))) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          ("the attempt that stopped processed something else than the beginning of its"
                  + " task's list: %s, task=%s, runs=%s, processed=[%s], runs of the list=%s")
              .formatted(
                  stream, op.getTask(), Integer.toUnsignedString(runs), processed, list.size()));
    }
  }

  private static LedgerResponse result(TaskList list, boolean closed) {
    return LedgerResponse.newBuilder()
        .setCloseTask(CloseTaskResult.newBuilder().setClosed(closed).setRuns(list.size()))
        .build();
  }
}

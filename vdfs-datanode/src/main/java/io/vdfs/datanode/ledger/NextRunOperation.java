package io.vdfs.datanode.ledger;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.RunTakenRecord;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.TaskFinishedRecord;

/**
 * The rule of exactly-once. Below the end of the task's list: the run that stands there, for
 * whichever attempt asks and however often. At the end: a run out of the pool, appended to the
 * list; or END if the pool of the whole stream is empty or the list is closed, in both cases for
 * good. Pure.
 */
final class NextRunOperation {
  private final StealPolicy stealPolicy;

  NextRunOperation(StealPolicy stealPolicy) {
    this.stealPolicy = stealPolicy;
  }

  LedgerOutcome execute(StreamTable streams, NextRunOp op, Caller caller, long timeMillis)
      throws VdfsException {
    StreamState stream = streams.requireSealed(op.getStreamId(), caller);
    TaskList list = StreamTable.task(stream, op.getTask());
    check(stream, list, op);
    if (op.getPosition() < list.size()) {
      OwnedRun run = list.run(op.getPosition());
      return LedgerOutcome.of(runResult(stream, op, run, stream.remaining()));
    }
    if (list.closed() || stream.remaining() == 0) {
      return end(stream, list, op, timeMillis);
    }
    return take(stream, op, timeMillis);
  }

  private static void check(StreamState stream, TaskList list, NextRunOp op) throws VdfsException {
    int position = op.getPosition();
    if (position < 0 || position > list.size()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "position beyond the end of the task's list: "
              + describe(stream, op)
              + ", runs="
              + list.size());
    }
    if (op.getWantedBlocks() < 1) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "at least one block must be wanted: "
              + describe(stream, op)
              + ", wanted="
              + Integer.toUnsignedString(op.getWantedBlocks()));
    }
    if (op.hasProcessed()) {
      Totals expected = list.totals(position, stream.files());
      Totals processed = Totals.of(op.getProcessed());
      if (!processed.equals(expected)) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "the attempt processed something else than its task's list: "
                + describe(stream, op)
                + ", processed=["
                + processed
                + "], list=["
                + expected
                + "]");
      }
    }
  }

  private static LedgerOutcome end(
      StreamState stream, TaskList list, NextRunOp op, long timeMillis) {
    EndOfTask end =
        EndOfTask.newBuilder()
            .setRuns(list.size())
            .setTask(list.totals().toMessage())
            .setStream(stream.totals().toMessage())
            .setClosed(list.closed())
            .build();
    LedgerResponse.Builder response =
        LedgerResponse.newBuilder().setNext(result(stream, op, stream.remaining()).setEnd(end));
    if (!op.hasProcessed() || list.finished()) {
      return LedgerOutcome.of(response);
    }
    TaskFinishedRecord.Builder finished =
        TaskFinishedRecord.newBuilder()
            .setTask(op.getTask())
            .setExpiresMillis(Lease.expiry(stream, timeMillis));
    return LedgerOutcome.of(response, record(op).setTaskFinished(finished).build());
  }

  private LedgerOutcome take(StreamState stream, NextRunOp op, long timeMillis) {
    int asker = stream.nodeIndex(op.getNode());
    boolean local = asker >= 0 && stream.pool(asker).blocks() > 0;
    int pool = local ? asker : victim(stream, asker);
    BlockRange range = range(stream, stream.pool(pool), op, local);
    RunTakenRecord.Builder taken =
        RunTakenRecord.newBuilder()
            .setTask(op.getTask())
            .setPosition(op.getPosition())
            .setFileIndex(range.file())
            .setFirstBlock(range.first())
            .setBlockCount(range.count())
            .setPool(pool)
            .setTaker(asker + 1)
            .setFromEnd(!local)
            .setExpiresMillis(Lease.expiry(stream, timeMillis));
    OwnedRun run = new OwnedRun(range, pool, asker);
    return LedgerOutcome.of(
        runResult(stream, op, run, stream.remaining() - range.count()),
        record(op).setRunTaken(taken).build());
  }

  private int victim(StreamState stream, int asker) {
    long[] left = new long[stream.nodes()];
    long[] taken = new long[stream.nodes()];
    for (int node = 0; node < left.length; node++) {
      left[node] = stream.pool(node).blocks();
      taken[node] = stream.takenBy(node);
    }
    int victim = stealPolicy.victim(asker, left, taken, stream.neighbours(asker));
    if (victim < 0 || victim >= left.length || left[victim] == 0) {
      throw new IllegalStateException(
          "the steal policy chose a node without blocks: " + stream + ", victim=" + victim);
    }
    return victim;
  }

  private static BlockRange range(
      StreamState stream, RangeDeque pool, NextRunOp op, boolean local) {
    int group = stream.header().getGroupBlocks();
    int limit =
        stream.header().getWholeGroups()
            ? group
            : RunSize.limit(
                op.getPosition(), op.getWantedBlocks(), stream.remaining(), stream.taskCount());
    return local
        ? RunSize.front(pool.front(), limit, group)
        : RunSize.back(pool.back(), limit, group);
  }

  private static LedgerResponse.Builder runResult(
      StreamState stream, NextRunOp op, OwnedRun run, long remaining) {
    BlockRange range = run.range();
    PinnedFile file = stream.files().file(range.file());
    StreamRun.Builder message =
        StreamRun.newBuilder()
            .setFileIndex(range.file())
            .setFile(FileTable.keyMessage(file.key()))
            .setFileLength(file.length())
            .setPath(file.path())
            .setFirstBlock(range.first())
            .setBlockCount(range.count())
            .setOffset(stream.files().offset(range))
            .setBytes(stream.files().bytes(range))
            .setOwner(stream.nodeId(run.pool()))
            .setStolen(run.stolen());
    return LedgerResponse.newBuilder().setNext(result(stream, op, remaining).setRun(message));
  }

  private static NextRunResult.Builder result(StreamState stream, NextRunOp op, long remaining) {
    return NextRunResult.newBuilder()
        .setPosition(op.getPosition())
        .setStreamBlocks(stream.totals().blocks())
        .setRemainingBlocks(remaining);
  }

  private static LedgerRecord.Builder record(NextRunOp op) {
    return LedgerRecord.newBuilder().setStreamId(op.getStreamId());
  }

  private static String describe(StreamState stream, NextRunOp op) {
    return stream
        + ", task="
        + op.getTask()
        + ", position="
        + Integer.toUnsignedString(op.getPosition());
  }
}

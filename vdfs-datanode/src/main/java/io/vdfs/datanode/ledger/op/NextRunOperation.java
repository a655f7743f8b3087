package io.vdfs.datanode.ledger.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.RunTakenRecord;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.TaskClosedRecord;
import io.vdfs.common.wire.proto.TaskFinishedRecord;
import io.vdfs.datanode.ledger.draw.PreferredRun;
import io.vdfs.datanode.ledger.draw.RunCutter;
import io.vdfs.datanode.ledger.draw.RunSize;
import io.vdfs.datanode.ledger.draw.StealPolicy;
import io.vdfs.datanode.ledger.draw.YieldRule;
import io.vdfs.datanode.ledger.draw.YieldRule.Yield;
import io.vdfs.datanode.ledger.state.BlockRange;
import io.vdfs.datanode.ledger.state.OwnedRun;
import io.vdfs.datanode.ledger.state.PinnedFile;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import io.vdfs.datanode.ledger.state.TaskList;
import io.vdfs.datanode.ledger.state.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rule of exactly-once. At a position below the end of the task's list, any attempt gets the
 * run that stands there, however often it asks. At the end, it gets a run out of the pool, or
 * several if it takes them, which are appended to the list; or END if the pool of the whole stream
 * is empty or the list is closed, in both cases for good. Without stealing, a list is closed as
 * soon as its node has no blocks left; and whenever {@link YieldRule} says that the task yields.
 */
final class NextRunOperation implements LedgerOperation {
  /** The most runs in one answer, whatever the attempt would take: keeps messages small. */
  private static final int MOST_RUNS = 64;

  private final StealPolicy stealPolicy;

  /** Steals by a policy that is the same on all replicas. */
  NextRunOperation(StealPolicy stealPolicy) {
    this.stealPolicy = stealPolicy;
  }

  @Override
  public LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException {
    NextRunOp op = request.getNext();
    long timeMillis = context.timeMillis();
    StreamState stream = context.streams().requireSealed(op.getStreamId(), context.caller());
    TaskList list = StreamTable.task(stream, op.getTask());
    check(stream, list, op);
    if (op.getPosition() < list.size()) {
      return response(runResult(stream, op, owned(list, op), stream.remaining()));
    }
    if (list.closed() || stream.remaining() == 0) {
      if (op.hasProcessed() && !list.finished()) {
        changes.add(finished(stream, op, timeMillis));
      }
      return endResult(stream, list, op, list.closed(), list.yielded());
    }
    if (endsWithItsNode(stream, op)) {
      TaskClosedRecord.Builder closed = closedRecord(stream, op, timeMillis);
      return close(stream, list, op, closed, timeMillis, changes);
    }
    Optional<Yield> found = YieldRule.find(context.streams(), stream, op, timeMillis);
    if (found.isPresent()) {
      TaskClosedRecord.Builder closed = yieldRecord(stream, op, found.get(), timeMillis);
      return close(stream, list, op, closed, timeMillis, changes);
    }
    return take(stream, op, context, changes);
  }

  private static void check(StreamState stream, TaskList list, NextRunOp op) throws VdfsException {
    int position = op.getPosition();
    if (position < 0 || position > list.size()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "position beyond the end of the task's list: %s, runs=%s"
              .formatted(describe(stream, op), list.size()));
    }
    if (op.getWantedBlocks() < 1) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "at least one block must be wanted: %s, wanted=%s"
              .formatted(describe(stream, op), Integer.toUnsignedString(op.getWantedBlocks())));
    }
    if (op.hasProcessed()) {
      Totals expected = list.totals(position, stream.files());
      Totals processed = Totals.of(op.getProcessed());
      if (!processed.equals(expected)) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            ("the attempt processed something else than its task's list: %s, processed=[%s],"
                    + " list=[%s]")
                .formatted(describe(stream, op), processed, expected));
      }
    }
  }

  /** True in a stream without stealing, unless no other task could drain the other pools. */
  private static boolean endsWithItsNode(StreamState stream, NextRunOp op) {
    int asker = stream.nodeIndex(op.getNode());
    return stream.header().getNoStealing()
        && stream.header().getAudited()
        && asker >= 0
        && stream.pool(asker).blocks() == 0
        && stream.hasOtherOpenTask(op.getTask());
  }

  private static TaskClosedRecord.Builder closedRecord(
      StreamState stream, NextRunOp op, long timeMillis) {
    return TaskClosedRecord.newBuilder()
        .setTask(op.getTask())
        .setExpiresMillis(Lease.expiry(stream, timeMillis));
  }

  private static TaskClosedRecord.Builder yieldRecord(
      StreamState stream, NextRunOp op, Yield found, long timeMillis) {
    return closedRecord(stream, op, timeMillis)
        .setYieldedTo(ByteString.copyFrom(found.to().id().toBytes()))
        .setYieldsLeft(found.left());
  }

  /** Ends a list for good though blocks are left, as {@link CloseTaskOperation} does. */
  private static LedgerResponse close(
      StreamState stream,
      TaskList list,
      NextRunOp op,
      TaskClosedRecord.Builder closed,
      long timeMillis,
      LedgerChanges changes) {
    changes.add(record(op).setTaskClosed(closed).build());
    if (op.hasProcessed()) {
      changes.add(finished(stream, op, timeMillis));
    }
    return endResult(stream, list, op, true, !closed.getYieldedTo().isEmpty());
  }

  private static LedgerResponse endResult(
      StreamState stream, TaskList list, NextRunOp op, boolean closed, boolean yielded) {
    EndOfTask end =
        EndOfTask.newBuilder()
            .setRuns(list.size())
            .setTask(list.totals().toMessage())
            .setStream(stream.totals().toMessage())
            .setClosed(closed)
            .setYielded(yielded)
            .build();
    return response(result(stream, op, stream.remaining()).setEnd(end));
  }

  private static LedgerRecord finished(StreamState stream, NextRunOp op, long timeMillis) {
    TaskFinishedRecord.Builder finished =
        TaskFinishedRecord.newBuilder()
            .setTask(op.getTask())
            .setExpiresMillis(Lease.expiry(stream, timeMillis));
    return record(op).setTaskFinished(finished).build();
  }

  private LedgerResponse take(
      StreamState stream, NextRunOp op, LedgerContext context, LedgerChanges changes) {
    int asker = stream.nodeIndex(op.getNode());
    boolean local = asker >= 0 && stream.pool(asker).blocks() > 0;
    int pool = local ? asker : victim(stream, asker);
    List<OwnedRun> runs = new ArrayList<>();
    long remaining = stream.remaining();
    int most = limit(stream, op);
    int mostRuns = stream.header().getWholeGroups() ? 1 : mostRuns(op);
    PreferredRun preference = new PreferredRun(stream, pool, context.bounds().indexesPerHint());
    List<BlockRange> preferred =
        local ? preference.find(op.getPreferredList(), most, mostRuns) : List.of();
    List<BlockRange> ranges = preferred;
    if (preferred.isEmpty()) {
      ranges =
          local
              ? preference.behind(op.getScanHeadsList(), most, mostRuns)
              : stolen(stream, pool, most, mostRuns);
    }
    for (BlockRange range : ranges) {
      RunTakenRecord.Builder taken =
          RunTakenRecord.newBuilder()
              .setTask(op.getTask())
              .setPosition(op.getPosition() + runs.size())
              .setFileIndex(range.file())
              .setFirstBlock(range.first())
              .setBlockCount(range.count())
              .setPool(pool)
              .setTaker(asker + 1)
              .setFromEnd(!local)
              .setExpiresMillis(Lease.expiry(stream, context.timeMillis()));
      runs.add(new OwnedRun(range, pool, asker));
      changes.add(record(op).setRunTaken(taken).build());
      remaining -= range.count();
    }
    NextRunResult.Builder result =
        runResult(stream, op, runs, remaining).setTaken(true).setPreferred(!preferred.isEmpty());
    return response(result);
  }

  private static int limit(StreamState stream, NextRunOp op) {
    return stream.header().getWholeGroups()
        ? stream.header().getGroupBlocks()
        : RunSize.limit(
            op.getPosition(), op.getWantedBlocks(), stream.remaining(), stream.tasksAtOnce());
  }

  /** The runs that the task owns from the position on. */
  private static List<OwnedRun> owned(TaskList list, NextRunOp op) {
    int end = (int) Math.min(list.size(), op.getPosition() + (long) mostRuns(op));
    List<OwnedRun> runs = new ArrayList<>();
    for (int position = op.getPosition(); position < end; position++) {
      runs.add(list.run(position));
    }
    return runs;
  }

  private static int mostRuns(NextRunOp op) {
    return op.getMostRuns() < 0 ? MOST_RUNS : Math.max(1, Math.min(MOST_RUNS, op.getMostRuns()));
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

  private static List<BlockRange> stolen(StreamState stream, int victim, int most, int mostRuns) {
    return new RunCutter(stream.pool(victim), false, stream.header().getGroupBlocks())
        .cut(most, mostRuns);
  }

  private static LedgerResponse response(NextRunResult.Builder result) {
    return LedgerResponse.newBuilder().setNext(result).build();
  }

  private static NextRunResult.Builder runResult(
      StreamState stream, NextRunOp op, List<OwnedRun> runs, long remaining) {
    NextRunResult.Builder result =
        result(stream, op, remaining).setRun(message(stream, runs.get(0)));
    for (OwnedRun following : runs.subList(1, runs.size())) {
      result.addFollowing(message(stream, following));
    }
    return result;
  }

  private static StreamRun message(StreamState stream, OwnedRun run) {
    BlockRange range = run.range();
    PinnedFile file = stream.files().file(range.file());
    return StreamRun.newBuilder()
        .setFileIndex(range.file())
        .setFile(WireIds.encode(file.key()))
        .setFileLength(file.length())
        .setPath(file.path())
        .setFirstBlock(range.first())
        .setBlockCount(range.count())
        .setOffset(stream.files().offset(range))
        .setBytes(stream.files().bytes(range))
        .setOwner(stream.nodeId(run.pool()))
        .setStolen(run.stolen())
        .build();
  }

  private static NextRunResult.Builder result(StreamState stream, NextRunOp op, long remaining) {
    return NextRunResult.newBuilder()
        .setPosition(op.getPosition())
        .setStreamBlocks(stream.totals().blocks())
        .setRemainingBlocks(remaining);
  }

  private static LedgerRecord.Builder record(NextRunOp op) {
    return LedgerChanges.of(op.getStreamId());
  }

  private static String describe(StreamState stream, NextRunOp op) {
    return "%s, task=%s, position=%s"
        .formatted(stream, op.getTask(), Integer.toUnsignedString(op.getPosition()));
  }
}

package io.vdfs.datanode.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PoolSlice;
import io.vdfs.common.wire.proto.RunTakenRecord;
import io.vdfs.common.wire.proto.StreamSealedRecord;
import io.vdfs.common.wire.proto.StreamTotals;
import io.vdfs.common.wire.proto.TaskClosedRecord;
import io.vdfs.common.wire.proto.TaskSlice;
import io.vdfs.datanode.ledger.op.LedgerOutcome;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.state.Caller;
import java.util.ArrayList;
import java.util.List;

/**
 * Mistakes that a developer could make in the ledger or its host, built by bending requests,
 * records or the state around the real one. The simulation must find each.
 */
enum PlantedBug {
  RETURNS_BLOCKS_OF_DEAD_ATTEMPT,
  KEYS_LISTS_BY_ATTEMPT,
  ENDS_WHEN_OWN_POOL_IS_EMPTY,
  ANSWERS_BEFORE_RECORDING,
  IGNORES_POSITION,
  SERVES_UNSEALED_STREAM,
  RECREATES_UNKNOWN_STREAM,
  LEAVES_STOLEN_BLOCKS_WITH_VICTIM,
  REPLAYS_SHORTER_RUNS,
  CLOSES_WITHOUT_GUARD,
  LETS_OLD_LEADER_ANSWER,
  FORGETS_LIST_OF_CLOSED_TASK,
  TAKES_REFUSED_CLOSE_FOR_STOP,
  RETURNS_REST_OF_STOPPED_TASK,
  FORGETS_WHO_STOPPED;

  LedgerHost host() {
    return switch (this) {
      case RETURNS_BLOCKS_OF_DEAD_ATTEMPT -> new ReturnsBlocks();
      case KEYS_LISTS_BY_ATTEMPT -> new KeysByAttempt();
      case ENDS_WHEN_OWN_POOL_IS_EMPTY -> new EndsWithOwnPool();
      case ANSWERS_BEFORE_RECORDING -> new AnswersBeforeRecording();
      case IGNORES_POSITION -> new IgnoresPosition();
      case SERVES_UNSEALED_STREAM -> new ServesUnsealed();
      case RECREATES_UNKNOWN_STREAM -> new RecreatesUnknown();
      case LEAVES_STOLEN_BLOCKS_WITH_VICTIM -> new LeavesStolenBlocks();
      case REPLAYS_SHORTER_RUNS -> new ReplaysShorterRuns();
      case CLOSES_WITHOUT_GUARD -> new ClosesWithoutGuard(false);
      case LETS_OLD_LEADER_ANSWER -> new LetsOldLeaderAnswer();
      case FORGETS_LIST_OF_CLOSED_TASK -> new ForgetsListOfClosedTask();
      case TAKES_REFUSED_CLOSE_FOR_STOP -> new ClosesWithoutGuard(true);
      case RETURNS_REST_OF_STOPPED_TASK -> new ReturnsRestOfStoppedTask();
      case FORGETS_WHO_STOPPED -> new ForgetsWhoStopped();
    };
  }

  /** A host whose state can be bent: pools and lists move between the slices of a snapshot. */
  private abstract static class BendingHost extends LedgerHost {
    /** Takes the runs of {@code task} from {@code keep} on out of its list. */
    void shorten(int task, int keep, boolean giveBack) {
      List<LedgerRecord> bent = new ArrayList<>();
      for (LedgerRecord record : records(ledger())) {
        if (!record.hasTaskSlice() || record.getTaskSlice().getTask() != task) {
          bent.add(record);
          continue;
        }
        TaskSlice slice = record.getTaskSlice();
        List<Integer> cells = slice.getCellsList();
        int kept = Math.min(cells.size(), keep * 5);
        TaskSlice.Builder rest = slice.toBuilder().clearCells();
        rest.addAllCells(cells.subList(0, kept));
        bent.add(record.toBuilder().setTaskSlice(rest).build());
        for (int at = kept; giveBack && at < cells.size(); at += 5) {
          bent.add(pool(record.getStreamId(), cells.get(at + 3), cells.subList(at, at + 3)));
        }
      }
      become(bent);
    }

    static LedgerRecord pool(ByteString stream, int node, List<Integer> cells) {
      return LedgerRecord.newBuilder()
          .setStreamId(stream)
          .setPoolSlice(PoolSlice.newBuilder().setNode(node).addAllCells(cells))
          .build();
    }
  }

  private static final class ReturnsBlocks extends BendingHost {
    @Override
    void attemptGivenUp(int task, int attempt) {
      shorten(task, 0, true);
    }
  }

  private static final class KeysByAttempt extends LedgerHost {
    private static final int ATTEMPTS = 64;

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (request.hasCreateChunk() && request.getCreateChunk().hasHeader()) {
        CreateStreamChunkOp.Builder op = request.getCreateChunk().toBuilder();
        op.getHeaderBuilder().setTasks(op.getHeader().getTasks() * ATTEMPTS);
        return super.call(LedgerRequest.newBuilder().setCreateChunk(op).build(), caller, time);
      }
      return super.call(request, caller, time);
    }

    @Override
    LedgerResponse callFrom(int attempt, LedgerRequest request, Caller caller, long time)
        throws VdfsException {
      if (!request.hasNext()) {
        return call(request, caller, time);
      }
      NextRunOp next = request.getNext();
      int key = next.getTask() * ATTEMPTS + attempt % ATTEMPTS;
      return call(Requests.of(next.toBuilder().setTask(key)), caller, time);
    }
  }

  private static final class EndsWithOwnPool extends LedgerHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      LedgerOutcome outcome = ledger().execute(request, caller, time, StreamBounds.NONE);
      boolean steals = outcome.records().stream().anyMatch(r -> r.getRunTaken().getFromEnd());
      if (!steals) {
        return super.call(request, caller, time);
      }
      NextRunOp next = request.getNext();
      StreamTotals list =
          query(Requests.status(next.getStreamId()), caller)
              .getStatus()
              .getTasks(next.getTask())
              .getTotals();
      EndOfTask.Builder end = EndOfTask.newBuilder().setRuns(next.getPosition()).setTask(list);
      return LedgerResponse.newBuilder()
          .setNext(NextRunResult.newBuilder().setPosition(next.getPosition()).setEnd(end))
          .build();
    }
  }

  private static final class AnswersBeforeRecording extends LedgerHost {
    private List<LedgerRecord> unrecorded = List.of();

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      unrecorded = ledger().execute(request, caller, time, StreamBounds.NONE).records();
      return super.call(request, caller, time);
    }

    @Override
    void takeSnapshot() {}

    @Override
    void changeLeader() {
      List<LedgerRecord> log = log();
      boolean lastIsDraw = !log.isEmpty() && log.get(log.size() - 1).hasRunTaken();
      if (lastIsDraw && !unrecorded.isEmpty()) {
        log.remove(log.size() - 1);
      }
      super.changeLeader();
    }
  }

  private static final class IgnoresPosition extends LedgerHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (!request.hasNext()) {
        return super.call(request, caller, time);
      }
      NextRunOp next = request.getNext();
      int size = 0;
      for (LedgerRecord record : records(ledger())) {
        TaskSlice slice = record.getTaskSlice();
        size += slice.getTask() == next.getTask() ? slice.getCellsCount() / 5 : 0;
      }
      NextRunOp.Builder bent = next.toBuilder().setPosition(size).clearProcessed();
      LedgerResponse.Builder response = super.call(Requests.of(bent), caller, time).toBuilder();
      response.getNextBuilder().setPosition(next.getPosition());
      return response.build();
    }
  }

  private static final class ServesUnsealed extends BendingHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (request.hasNext()) {
        List<LedgerRecord> state = records(ledger());
        boolean unsealed = state.stream().noneMatch(LedgerRecord::hasSealed);
        if (!state.isEmpty() && unsealed) {
          become(sealed(state));
        }
      }
      return super.call(request, caller, time);
    }

    private static List<LedgerRecord> sealed(List<LedgerRecord> state) {
      List<LedgerRecord> bent = new ArrayList<>(state);
      ByteString id = state.get(0).getStreamId();
      bent.add(
          LedgerRecord.newBuilder()
              .setStreamId(id)
              .setSealed(StreamSealedRecord.getDefaultInstance())
              .build());
      return bent;
    }
  }

  private static final class RecreatesUnknown extends LedgerHost {
    private final List<LedgerRequest> creation = new ArrayList<>();

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (request.hasCreateChunk() || request.hasSeal()) {
        creation.add(request);
      }
      try {
        return super.call(request, caller, time);
      } catch (VdfsException e) {
        boolean sealedOnce = creation.stream().anyMatch(LedgerRequest::hasSeal);
        if (e.code() != ErrorCode.NOT_FOUND || !sealedOnce) {
          throw e;
        }
        for (LedgerRequest again : creation) {
          super.call(again, USER, time);
        }
        return super.call(request, caller, time);
      }
    }
  }

  private static final class LeavesStolenBlocks extends BendingHost {
    private boolean left;

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      LedgerOutcome outcome = ledger().execute(request, caller, time, StreamBounds.NONE);
      LedgerResponse response = super.call(request, caller, time);
      for (LedgerRecord record : outcome.records()) {
        RunTakenRecord taken = record.getRunTaken();
        if (taken.getFromEnd() && !left) {
          left = true;
          List<Integer> cells =
              List.of(taken.getFileIndex(), taken.getFirstBlock(), taken.getBlockCount());
          List<LedgerRecord> bent = new ArrayList<>(records(ledger()));
          bent.add(pool(record.getStreamId(), taken.getPool(), cells));
          become(bent);
        }
      }
      return response;
    }
  }

  private static final class ReplaysShorterRuns extends BendingHost {
    @Override
    void changeLeader() {
      super.changeLeader();
      for (LedgerRecord record : records(ledger())) {
        TaskSlice slice = record.getTaskSlice();
        int size = slice.getCellsCount();
        if (size > 0 && slice.getCells(size - 3) > 1) {
          shorten(slice.getTask(), size / 5 - 1, false);
          become(halved(records(ledger()), record, slice.getCellsList().subList(size - 5, size)));
        }
      }
    }

    /**
     * The last run of the list comes back with its first block only, the others are in the pool.
     */
    private static List<LedgerRecord> halved(
        List<LedgerRecord> state, LedgerRecord record, List<Integer> run) {
      List<LedgerRecord> bent = new ArrayList<>(state);
      bent.add(
          record.toBuilder()
              .setTaskSlice(
                  TaskSlice.newBuilder()
                      .setTask(record.getTaskSlice().getTask())
                      .addAllCells(List.of(run.get(0), run.get(1), 1, run.get(3), run.get(4))))
              .build());
      List<Integer> rest = List.of(run.get(0), run.get(1) + 1, run.get(2) - 1);
      bent.add(pool(record.getStreamId(), run.get(3), rest));
      return bent;
    }
  }

  private static final class ClosesWithoutGuard extends LedgerHost {
    private final boolean stopped;

    ClosesWithoutGuard(boolean stopped) {
      this.stopped = stopped;
    }

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      LedgerResponse response = super.call(request, caller, time);
      if (request.hasCloseTask() && !response.getCloseTask().getClosed()) {
        append(
            LedgerRecord.newBuilder()
                .setStreamId(request.getCloseTask().getStreamId())
                .setTaskClosed(
                    TaskClosedRecord.newBuilder()
                        .setTask(request.getCloseTask().getTask())
                        .setStopped(stopped)
                        .setExpiresMillis(Long.MAX_VALUE))
                .build());
      }
      return response;
    }
  }

  private static final class LetsOldLeaderAnswer extends LedgerHost {
    private Ledger old;
    private int answersLeft;

    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (old == null || !request.hasNext() || answersLeft == 0) {
        return super.call(request, caller, time);
      }
      answersLeft--;
      LedgerOutcome outcome = old.execute(request, caller, time, StreamBounds.NONE);
      outcome.records().forEach(old::replay);
      return outcome.response();
    }

    private boolean sealed() {
      return log().stream().anyMatch(LedgerRecord::hasSealed);
    }

    @Override
    void changeLeader() {
      old = sealed() ? rebuilt() : null;
      answersLeft = 2;
      super.changeLeader();
    }
  }

  private static final class ForgetsListOfClosedTask extends BendingHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      LedgerResponse response = super.call(request, caller, time);
      if (request.hasCloseTask() && response.getCloseTask().getClosed()) {
        shorten(request.getCloseTask().getTask(), 0, true);
      }
      return response;
    }
  }

  private static final class ReturnsRestOfStoppedTask extends BendingHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      LedgerResponse response = super.call(request, caller, time);
      if (request.getCloseTask().hasStopped()) {
        CloseTaskOp stop = request.getCloseTask();
        shorten(stop.getTask(), stop.getStopped().getRuns(), true);
      }
      return response;
    }
  }

  private static final class ForgetsWhoStopped extends LedgerHost {
    @Override
    LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
      if (!request.getCloseTask().hasStopped()) {
        return super.call(request, caller, time);
      }
      CloseTaskOp.Builder close = request.getCloseTask().toBuilder().clearStopped();
      return super.call(LedgerRequest.newBuilder().setCloseTask(close).build(), caller, time);
    }
  }
}

package io.vdfs.datanode.ledger;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamRun;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One MapReduce job on a ledger, by a random schedule that its seed determines: tasks with several
 * attempts, kills, zombies, speculation, re-runs of completed maps, restarts of the master, lost,
 * late and repeated messages, changes of the ledger's leader, slow nodes, other jobs that wait. The
 * final checks are those of {@link JobVerdict}.
 */
final class JobSimulation {
  private static final int MAX_STEPS = 20_000;
  private static final long LATE_STREAM_IDS = 1L << 40;

  private final SplittableRandom random;
  private final LedgerHost host;
  private final TestStream stream;
  private final EnumMap<Fault, Long> faults;
  private final int tasks;
  private final int[] speeds;
  private final boolean waves;
  private final int stops;
  private final boolean reporting;
  private final int mostRuns;
  private final boolean yielding;
  private final List<SimulatedAttempt> live = new ArrayList<>();
  private final List<LedgerRequest> late = new ArrayList<>();
  private final List<List<SimulatedAttempt>> completed = new ArrayList<>();
  private final SimulatedAttempt[] winners;
  private final int[] attempts;
  private final Map<Long, StreamRun> firstAnswers = new HashMap<>();
  private final List<TestStream> lateStreams = new ArrayList<>();
  private int faultBudget;
  private boolean dropped;
  private boolean dropping;
  private long time = 1_000_000;

  private JobSimulation(long seed, LedgerHost host, EnumMap<Fault, Long> faults) {
    this.random = new SplittableRandom(seed);
    this.host = host;
    this.faults = faults;
    this.stream = new RandomInput(random).stream(seed);
    this.tasks = stream.header().getTasks();
    this.winners = new SimulatedAttempt[tasks];
    this.attempts = new int[tasks];
    this.speeds = random.ints(stream.header().getNodesCount() + 2, 1, 10).toArray();
    this.waves = random.nextInt(4) == 0;
    this.reporting = random.nextBoolean();
    this.mostRuns = random.nextInt(4);
    this.yielding = random.nextInt(3) == 0;
    if (yielding) {
      stream.header().setSurplusTasks(random.nextInt(tasks));
    }
    this.stops = random.nextInt(3) == 0 ? 1 + random.nextInt(30) : 0;
    this.dropping = random.nextInt(12) == 0;
    this.faultBudget = random.nextInt(30);
    for (int task = 0; task < tasks; task++) {
      completed.add(new ArrayList<>());
    }
  }

  /**
   * Runs the job of a seed to its end.
   *
   * @param faults counts what happened
   * @throws Violation if a rule was broken
   */
  static void run(long seed, LedgerHost host, EnumMap<Fault, Long> faults) {
    JobSimulation simulation = new JobSimulation(seed, host, faults);
    try {
      simulation.create();
      if (simulation.runTasks()) {
        simulation.releaseLateStreams();
        simulation.verdict().check();
      }
    } catch (VdfsException | IllegalStateException e) {
      throw new Violation("seed=" + seed + ": unexpected " + e, e);
    } catch (Violation e) {
      throw new Violation("seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  private JobVerdict verdict() {
    return new JobVerdict(host, stream, List.of(winners), completed, reporting, faults);
  }

  private void create() throws VdfsException {
    List<LedgerRequest> requests = new ArrayList<>(stream.chunks(1 + random.nextInt(3)));
    requests.add(stream.seal());
    for (LedgerRequest request : requests) {
      drawEarly();
      host.call(request, LedgerHost.USER, tick());
      if (random.nextInt(4) == 0) {
        count(Fault.REPEATED_REQUEST);
        host.call(request, LedgerHost.USER, tick());
      }
      if (random.nextInt(10) == 0) {
        changeLeader();
      }
    }
  }

  private void drawEarly() {
    if (random.nextInt(8) != 0) {
      return;
    }
    count(Fault.EARLY_DRAW);
    try {
      host.call(Requests.of(Requests.next(stream.id(), 0, 0, 0, 1)), LedgerHost.USER, tick());
    } catch (VdfsException e) {
      boolean refused = e.code() == ErrorCode.INVALID_ARGUMENT || e.code() == ErrorCode.NOT_FOUND;
      Violation.unless(refused, "an unsealed stream answered with " + e);
      return;
    }
    throw new Violation("an unsealed stream answered");
  }

  /** Returns false if the job failed, which it may only because its stream was dropped. */
  private boolean runTasks() throws VdfsException {
    for (int step = 0; step < MAX_STEPS; step++) {
      if (allWon() && random.nextInt(4) == 0) {
        return true;
      }
      try {
        event();
      } catch (VdfsException e) {
        if (dropped && e.code() == ErrorCode.NOT_FOUND) {
          return false;
        }
        throw e;
      }
    }
    throw new Violation("the job does not end: steps=" + MAX_STEPS);
  }

  private boolean allWon() {
    for (SimulatedAttempt winner : winners) {
      if (winner == null) {
        return false;
      }
    }
    return true;
  }

  private void event() throws VdfsException {
    if (yielding && random.nextInt(10) == 0) {
      lateJob();
      return;
    }
    int choice = random.nextInt(100);
    if (choice < 12) {
      startSomeTask();
    } else if (choice < 32 && faultBudget > 0) {
      faultBudget--;
      fault(choice - 12);
    } else if (choice < 36) {
      sendLate();
    } else if (choice < 39 && waves && !live.isEmpty()) {
      closeTask(pick());
    } else if (choice >= 39 && choice < 39 + stops && !live.isEmpty()) {
      stop(pick());
    } else if (!live.isEmpty()) {
      draw(pick());
    }
  }

  /** Another job arrives, or one that waits draws. */
  private void lateJob() throws VdfsException {
    if (lateStreams.isEmpty() || random.nextInt(3) == 0) {
      count(Fault.LATE_JOB);
      long id = LATE_STREAM_IDS + lateStreams.size();
      TestStream lateStream = new TestStream(id, 1 + random.nextInt(3), 1, 1).file(40, 0);
      lateStreams.add(lateStream);
      host.call(lateStream.chunks(1).get(0), LedgerHost.USER, tick());
      host.call(lateStream.seal(), LedgerHost.USER, tick());
      if (random.nextBoolean()) {
        host.call(Requests.begin(lateStream.id()), LedgerHost.USER, tick());
      }
    } else {
      TestStream lateStream = lateStreams.get(random.nextInt(lateStreams.size()));
      host.call(Requests.of(Requests.next(lateStream.id(), 0, 0, 0, 1)), LedgerHost.USER, tick());
    }
  }

  private void releaseLateStreams() throws VdfsException {
    for (TestStream lateStream : lateStreams) {
      host.call(Requests.release(lateStream.id()), LedgerHost.USER, tick());
    }
  }

  private void fault(int choice) throws VdfsException {
    if (choice < 4) {
      changeLeader();
    } else if (choice < 5) {
      restartMaster();
    } else if (choice < 7) {
      rerunCompleted();
    } else if (choice < 8 && dropping) {
      drop();
    } else if (!live.isEmpty()) {
      SimulatedAttempt attempt = live.get(random.nextInt(live.size()));
      if (choice < 12) {
        kill(attempt);
      } else if (choice < 16) {
        abandon(attempt);
      } else {
        speculate(attempt);
      }
    }
  }

  /** Of two random attempts the one on the faster node draws more often. */
  private SimulatedAttempt pick() {
    SimulatedAttempt one = live.get(random.nextInt(live.size()));
    SimulatedAttempt other = live.get(random.nextInt(live.size()));
    int speedOfOne = speeds[one.node + 1];
    int speedOfOther = speeds[other.node + 1];
    return random.nextInt(speedOfOne + speedOfOther) < speedOfOne ? one : other;
  }

  private void startSomeTask() {
    int task = random.nextInt(tasks);
    boolean hasAttempt = live.stream().anyMatch(a -> a.task == task && !a.givenUp);
    if (winners[task] == null && !hasAttempt) {
      start(task);
    }
  }

  private void start(int task) {
    int node = random.nextInt(stream.header().getNodesCount() + 2) - 1;
    live.add(new SimulatedAttempt(task, attempts[task]++, node, 1 + random.nextInt(5)));
  }

  private void kill(SimulatedAttempt attempt) {
    count(Fault.KILL);
    if (random.nextBoolean()) {
      late.add(request(attempt));
    }
    live.remove(attempt);
    giveUp(attempt);
  }

  /** The master thinks the attempt dead and starts another one; but it goes on. */
  private void abandon(SimulatedAttempt attempt) {
    count(Fault.ZOMBIE);
    giveUp(attempt);
  }

  private void giveUp(SimulatedAttempt attempt) {
    if (!attempt.givenUp) {
      attempt.givenUp = true;
      host.attemptGivenUp(attempt.task, attempt.number);
    }
  }

  private void speculate(SimulatedAttempt slow) {
    if (!slow.givenUp && winners[slow.task] == null) {
      count(Fault.SPECULATION);
      start(slow.task);
    }
  }

  private void rerunCompleted() {
    int task = random.nextInt(tasks);
    if (winners[task] != null) {
      count(Fault.RERUN_OF_COMPLETED_MAP);
      giveUp(winners[task]);
      winners[task] = null;
      start(task);
    }
  }

  private void restartMaster() {
    count(Fault.MASTER_RESTART);
    for (SimulatedAttempt attempt : List.copyOf(live)) {
      if (random.nextBoolean()) {
        kill(attempt);
      } else {
        abandon(attempt);
      }
    }
    for (int task = 0; task < tasks; task++) {
      if (random.nextInt(3) == 0) {
        winners[task] = null;
      }
    }
  }

  private void changeLeader() {
    count(Fault.LEADER_CHANGE);
    if (random.nextInt(3) == 0) {
      host.takeSnapshot();
    }
    host.changeLeader();
  }

  private void drop() throws VdfsException {
    dropping = false;
    dropped = true;
    count(Fault.STREAM_DROPPED);
    host.call(Requests.release(stream.id()), LedgerHost.SUPERUSER, tick());
  }

  /** A request of some attempt, dead by now or not, arrives late; the answer is not waited for. */
  private void sendLate() throws VdfsException {
    if (!late.isEmpty()) {
      count(Fault.LATE_REQUEST);
      LedgerRequest request = late.remove(random.nextInt(late.size()));
      host.call(request, LedgerHost.USER, tick());
    }
  }

  private void closeTask(SimulatedAttempt attempt) throws VdfsException {
    LedgerRequest request = Requests.close(stream.id(), attempt.task);
    CloseTaskResult result =
        host.callFrom(attempt.number, request, LedgerHost.USER, tick()).getCloseTask();
    count(result.getClosed() ? Fault.CLOSED_TASK : Fault.REFUSED_CLOSE);
  }

  /**
   * The mapper wants no more, and its attempt commits. One that the master has given up may have
   * been told to commit before.
   */
  private void stop(SimulatedAttempt attempt) throws VdfsException {
    int read = random.nextInt(attempt.got.size() + 1);
    attempt.got.subList(read, attempt.got.size()).clear();
    LedgerRequest request = Requests.stop(stream.id(), attempt.task, read, attempt.processed());
    host.callFrom(attempt.number, request, LedgerHost.USER, tick());
    count(Fault.STOPPED_MAPPER);
    if (random.nextInt(4) == 0) {
      late.add(request);
    }
    attempt.stopped = true;
    complete(attempt);
  }

  private LedgerRequest request(SimulatedAttempt attempt) {
    NextRunOp.Builder next =
        Requests.next(stream.id(), attempt.task, attempt.got.size(), attempt.node, attempt.wanted);
    next.setMostRuns(mostRuns).setMayYield(yielding && random.nextBoolean());
    if (reporting) {
      next.setProcessed(attempt.processed());
    }
    if (random.nextInt(3) == 0) {
      prefer(next);
    }
    return Requests.of(next);
  }

  /** The node says what it has in memory, or thinks so; some of it is nonsense. */
  private void prefer(NextRunOp.Builder next) {
    for (int hint = random.nextInt(4); hint > 0 && !stream.files().isEmpty(); hint--) {
      count(Fault.PREFERENCE);
      StreamFile file = stream.files().get(random.nextInt(stream.files().size()));
      long block = random.nextLong(-1, 12);
      next.addPreferred(
          PreferredBlocks.newBuilder()
              .setFile(file.getFile())
              .setFirst(block)
              .setCount(random.nextInt(5)));
      next.addScanHeads(
          ScanHead.newBuilder().setFile(file.getFile()).setBlock(random.nextLong(-1, 12)));
    }
  }

  private void draw(SimulatedAttempt attempt) throws VdfsException {
    LedgerRequest request = request(attempt);
    int fate = random.nextInt(20);
    if (fate == 0) {
      count(Fault.LOST_REQUEST);
      return;
    }
    NextRunResult answer =
        host.callFrom(attempt.number, request, LedgerHost.USER, tick()).getNext();
    if (fate == 1 || fate == 2) {
      count(Fault.LOST_REPLY);
      return;
    }
    if (fate == 3) {
      late.add(request);
    }
    Violation.unless(answer.getPosition() == attempt.got.size(), "answer to another position");
    if (answer.hasRun()) {
      receive(attempt, answer.getRun());
      for (StreamRun following : answer.getFollowingList()) {
        count(Fault.SEVERAL_RUNS);
        receive(attempt, following);
      }
    } else {
      Violation.unless(answer.hasEnd(), "an answer is a run or END");
      finish(attempt, answer.getEnd());
    }
  }

  private void receive(SimulatedAttempt attempt, StreamRun run) {
    long key = (long) attempt.task << 32 | attempt.got.size();
    StreamRun first = firstAnswers.putIfAbsent(key, run);
    Violation.unless(
        first == null || first.equals(run),
        "two answers for one position: " + attempt + ", first=" + first + ", second=" + run);
    int group = stream.header().getGroupBlocks();
    long last = run.getFirstBlock() + run.getBlockCount() - 1;
    Violation.unless(
        run.getFirstBlock() / group == last / group, "a run over two groups: " + attempt);
    if (run.getStolen()) {
      count(Fault.STEAL);
    }
    attempt.got.add(run);
  }

  private void finish(SimulatedAttempt attempt, EndOfTask end) {
    if (end.getYielded()) {
      count(Fault.YIELDED_TASK);
    }
    Violation.unless(
        end.getRuns() == attempt.got.size() && end.getTask().equals(attempt.processed()),
        "END with other totals than the attempt's: " + attempt);
    complete(attempt);
  }

  private void complete(SimulatedAttempt attempt) {
    live.remove(attempt);
    completed.get(attempt.task).add(attempt);
    if (completed.get(attempt.task).size() > 1) {
      count(Fault.SECOND_SUCCESS);
    }
    if (attempt.givenUp || winners[attempt.task] != null) {
      return;
    }
    winners[attempt.task] = attempt;
    for (SimulatedAttempt loser : List.copyOf(live)) {
      if (loser.task == attempt.task && !loser.givenUp) {
        if (random.nextBoolean()) {
          kill(loser);
        } else {
          abandon(loser);
        }
      }
    }
  }

  private long tick() {
    return time += random.nextInt(1000);
  }

  private void count(Fault fault) {
    faults.merge(fault, 1L, Long::sum);
  }
}

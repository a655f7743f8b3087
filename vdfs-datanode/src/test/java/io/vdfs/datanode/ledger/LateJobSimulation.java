package io.vdfs.datanode.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.datanode.ledger.draw.YieldRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Jobs that arrive one after the other on a cluster with a fixed number of containers, in simulated
 * time, on one real ledger whose leader changes now and then. Tasks ask ahead and end as real ones
 * do; a scheduler gives each free container to the job that has the fewest, or always to the first
 * that wants one. The effect of yields is checked as the simulation goes on, without the ledger's
 * help.
 */
final class LateJobSimulation {
  /** Work after which a task may yield. */
  static final long WORK_MILLIS = 30_000;

  /** From the end of a task's input to the end of its container. */
  static final long COMMIT_MILLIS = 1_000;

  private static final long GRANT_MILLIS = 2_000;
  private static final long ASK_AHEAD_MILLIS = 100;
  private static final long LONGEST_MILLIS = 24 * 3_600_000L;

  /**
   * The setting of a simulation.
   *
   * @param shares whether the scheduler lets jobs share, or serves them in the order of arrival
   * @param yielding whether tasks may yield
   */
  record Setting(long seed, int jobs, boolean shares, boolean yielding) {}

  private record Event(long millis, long number, Action action) {}

  @FunctionalInterface
  private interface Action {
    void run() throws VdfsException;
  }

  /** A job with what it has and what became of it. */
  final class Job {
    final TestStream stream;
    final long arrival;
    final int atOnce;
    final int surplus;
    final long blockMillis;
    long containerMillis;
    long firstDraw = -1;
    long end = -1;
    long masterStart = -1;
    long firstEndAfterMaster = -1;
    int yields;
    int yieldsReceived;
    private int containers;
    private int nextTask;
    private int drawing;
    private int ended;
    private boolean hasMaster;
    private boolean masterRuns;
    private Job lastYieldedTo;
    private int mayYield;

    Job(int number, long arrival, int atOnce, long blockMillis, int blocks) {
      this.arrival = arrival;
      this.atOnce = atOnce;
      this.surplus = (atOnce + 1) / 2;
      this.blockMillis = blockMillis;
      this.stream = new TestStream(number + 1, atOnce + surplus, 1, 64);
      stream.header().setSurplusTasks(surplus);
      stream.file((long) blocks * TestStream.BLOCK_SIZE, 0);
    }

    /** From the job's arrival to its first run. */
    long waitedMillis() {
      return firstDraw - arrival;
    }

    int tasks() {
      return atOnce + surplus;
    }

    boolean waits() {
      return firstDraw < 0;
    }

    /** A master first, and then no more tasks at once than were planned. */
    private boolean wantsContainer() {
      return arrival <= now
          && end < 0
          && (!hasMaster || (masterRuns && nextTask < tasks() && containers - 1 < atOnce));
    }
  }

  private final SplittableRandom random;
  private final Setting setting;
  private final LedgerHost host = new LedgerHost();
  private final int containers;
  private final List<Job> jobs = new ArrayList<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::millis).thenComparing(Event::number));
  private int used;
  private int masters;
  private long now;
  private long eventCount;

  private LateJobSimulation(Setting setting) {
    this.setting = setting;
    this.random = new SplittableRandom(setting.seed());
    this.containers = 4 + random.nextInt(13);
    long arrival = 0;
    for (int job = 0; job < setting.jobs(); job++) {
      long blockMillis = 200 + random.nextLong(3_000);
      long seconds = job == 0 ? 150 + random.nextLong(200) : 20 + random.nextLong(150);
      int blocks = (int) Math.max(containers * 3L, containers * seconds * 1_000 / blockMillis);
      jobs.add(new Job(job, arrival, containers, blockMillis, blocks));
      arrival += 60_000 + random.nextInt(30_000);
    }
  }

  /** Runs all jobs to their ends. */
  static LateJobSimulation run(Setting setting) {
    LateJobSimulation simulation = new LateJobSimulation(setting);
    try {
      simulation.run();
    } catch (VdfsException | IllegalStateException | Violation e) {
      throw new Violation(setting + ": " + e, e);
    }
    return simulation;
  }

  List<Job> jobs() {
    return jobs;
  }

  /** When all jobs had ended. */
  long end() {
    return now;
  }

  /** How long a task of a job works on one grant, at most. */
  long grantMillis(int job) {
    return Math.max(GRANT_MILLIS, jobs.get(job).blockMillis);
  }

  private void run() throws VdfsException {
    for (Job job : jobs) {
      at(job.arrival, () -> arrive(job));
    }
    while (!events.isEmpty()) {
      Event event = events.remove();
      now = event.millis();
      Violation.unless(now < LONGEST_MILLIS, "jobs do not end");
      event.action().run();
      schedule();
    }
    for (Job job : jobs) {
      Violation.unless(job.end >= 0, "a job never ended: job=" + jobs.indexOf(job));
      host.query(Requests.auditByMarks(job.stream.id()), LedgerHost.USER);
    }
  }

  @Override
  public String toString() {
    return setting + ", containers=" + containers;
  }

  private void at(long millis, Action action) {
    events.add(new Event(millis, eventCount++, action));
  }

  private void arrive(Job job) throws VdfsException {
    for (LedgerRequest chunk : job.stream.chunks(1)) {
      host.call(chunk, LedgerHost.USER, now);
    }
    host.call(job.stream.seal(), LedgerHost.USER, now);
  }

  private void schedule() {
    for (Optional<Job> next = next(); used < containers && next.isPresent(); next = next()) {
      Job job = next.get();
      used++;
      job.containers++;
      long start = 1_500 + random.nextLong(3_000);
      if (!job.hasMaster) {
        job.hasMaster = true;
        masters++;
        at(now + start, () -> begin(job));
      } else {
        Attempt attempt = new Attempt(job, job.nextTask++, now);
        at(now + start, attempt::ask);
      }
    }
  }

  private void begin(Job job) throws VdfsException {
    job.masterRuns = true;
    job.masterStart = now;
    host.call(Requests.begin(job.stream.id()), LedgerHost.USER, now);
  }

  private Optional<Job> next() {
    return jobs.stream()
        .filter(Job::wantsContainer)
        .filter(job -> job.hasMaster || masters < containers / 2)
        .min(Comparator.comparingInt(job -> setting.shares() ? job.containers : 0));
  }

  /** The only attempt of a task. */
  private final class Attempt {
    private final Job job;
    private final SimulatedAttempt got;
    private final long started;
    private long working = -1;
    private long busyUntil;

    Attempt(Job job, int task, long started) {
      this.job = job;
      this.got = new SimulatedAttempt(task, 0, 0, wanted(job));
      this.started = started;
    }

    private static int wanted(Job job) {
      return (int) Math.max(1, GRANT_MILLIS / job.blockMillis);
    }

    /** Asks ahead, without saying what was processed. */
    void ask() throws VdfsException {
      if (working < 0) {
        working = now;
        busyUntil = now;
      }
      NextRunResult answer = next(false);
      if (answer.hasRun()) {
        receive(answer);
      } else {
        job.drawing -= got.got.isEmpty() ? 0 : 1;
        at(Math.max(now, busyUntil), this::finish);
      }
    }

    private void receive(NextRunResult answer) {
      Violation.unless(answer.getFollowingCount() == 0, "one run was asked for");
      if (got.got.isEmpty()) {
        job.drawing++;
        job.firstDraw = job.waits() ? now : job.firstDraw;
      }
      got.got.add(answer.getRun());
      busyUntil = Math.max(now, busyUntil) + answer.getRun().getBlockCount() * job.blockMillis;
      at(Math.max(now, busyUntil - ASK_AHEAD_MILLIS), this::ask);
    }

    /** The question ahead was answered with the end, so it is asked for again. */
    private void finish() throws VdfsException {
      NextRunResult answer = next(true);
      Violation.unless(answer.hasEnd(), "an END is taken back: " + got);
      at(now + COMMIT_MILLIS, this::leave);
    }

    private NextRunResult next(boolean states) throws VdfsException {
      if (random.nextInt(500) == 0) {
        host.takeSnapshot();
      }
      if (random.nextInt(500) == 0) {
        host.changeLeader();
      }
      ByteString id = job.stream.id();
      boolean mayYield = setting.yielding() && now - working >= WORK_MILLIS;
      NextRunOp.Builder next =
          Requests.next(id, got.task, got.got.size(), 0, got.wanted).setMayYield(mayYield);
      if (states) {
        next.setProcessed(got.processed());
      }
      NextRunResult answer = host.call(Requests.of(next), LedgerHost.USER, now).getNext();
      if (answer.getEnd().getYielded() && !states) {
        Violation.unless(mayYield, "a task yielded that may not: " + got);
        onYield(job);
      }
      return answer;
    }

    private void leave() {
      used--;
      job.containers--;
      job.containerMillis += now - started;
      noteEnd();
      if (++job.ended == job.tasks()) {
        job.end = now;
        job.containers--;
        used--;
        masters--;
      }
    }

    private void noteEnd() {
      for (Job other : jobs) {
        if (other != job && other.masterRuns && other.firstEndAfterMaster < 0) {
          other.firstEndAfterMaster = now;
        }
      }
    }
  }

  /** Whether a yield was right, by what this simulation itself has seen. */
  private void onYield(Job job) {
    Job to =
        jobs.stream()
            .filter(this::waits)
            .filter(other -> other.arrival <= now && other.arrival > job.arrival)
            .filter(other -> other.yieldsReceived < (other.masterRuns ? other.atOnce + 1 : 1))
            .filter(other -> other.arrival >= lastArrival(job))
            .findFirst()
            .orElseThrow(() -> new Violation("a task yielded and no job waits"));
    if (job.lastYieldedTo == null || !waits(job.lastYieldedTo)) {
      job.mayYield = job.drawing / 2;
    }
    Violation.unless(job.mayYield-- > 0, "more than half of the tasks yielded");
    Violation.unless(to.masterRuns || job.mayYield > 0, "the last yield is for a master");
    job.lastYieldedTo = to;
    to.yieldsReceived++;
    job.yields++;
    Violation.unless(job.yields <= job.surplus, "more yields than surplus tasks");
    Violation.unless(to.yieldsReceived <= to.atOnce + 1, "more yields than a job can use");
  }

  private boolean waits(Job job) {
    return job.waits() && now - job.arrival <= YieldRule.LONGEST_WAIT.toMillis();
  }

  private static long lastArrival(Job job) {
    return job.lastYieldedTo == null ? job.arrival : job.lastYieldedTo.arrival;
  }
}

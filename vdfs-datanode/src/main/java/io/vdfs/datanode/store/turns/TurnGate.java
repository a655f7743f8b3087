package io.vdfs.datanode.store.turns;

import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Makes forced writes of a volume, and read-backs for which no client waits, wait for their turn
 * beside the volume's scans, so that the disk seldom leaves its place. The one reader of the volume
 * gives turns, where it leaves its place and where one is due within a run. Forces that a caller
 * waits for go without a turn when their patience ends; the write-back and read-backs, for which no
 * client waits, once they have waited for several times their age. Where the reader has nothing to
 * read forces go at once, together where they come together; read-backs one after the other.
 * Thread-safe: {@code lock} guards all fields; a thread that waits here should hold no other lock.
 *
 * <pre>
 *   IDLE --onReading--> READING --giveTurn--> TURN (those that wait go; the reader waits for them)
 *     ^                    |  ^                |
 *     +-----onIdle---------+  +----all done, or limit
 * </pre>
 *
 * <p>A turn is short, but one of the write-back lasts as long as the disk should take for its
 * bytes, of which no more count than make a turn due; when its force has ended the reader has the
 * disk for as long as the force took before the next such turn. A turn to read back is for {@link
 * #READ_BACK_BYTES}, never one with the write-back, and after it the reader has the disk for four
 * times as long.
 */
public final class TurnGate {
  /**
   * Bytes read back with one {@link #enterReadBack pass}: so many that the way there and back
   * hardly counts.
   */
  public static final long READ_BACK_BYTES = 32L << 20;

  private static final long NO_TURN = -1;
  private static final int MOST_AGES = 5;
  private static final int MOST_TURNS = 10;
  private static final int PATIENCES_PER_AGE = 10;

  /**
   * A disk that seems to read faster than this, as what it read was in memory, may not write
   * faster.
   */
  private static final double MOST_BYTES_PER_SECOND = 100e6;

  private static final long DIRTY_BYTES = 64L << 20;

  /** Far less than the silence after which a pipeline gives a node up. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(4);

  /**
   * When forces go. Immutable.
   *
   * @param patience how long a force with a waiting caller waits for its turn before it goes
   *     without one; zero for not at all, and then nothing waits
   * @param longestTurn how long the reader waits for forces, the write-back apart: several flushes
   *     of a slow disk
   * @param dirtyBytes bytes from which on a turn of the write-back is due within a run; for more a
   *     turn lasts no longer
   * @param age time after which such a turn is due with fewer bytes, and after which one to read
   *     back is due
   * @param longestHold how long a writer is held back where so many bytes wait
   */
  public record Limits(
      Duration patience,
      Duration longestTurn,
      long dirtyBytes,
      Duration age,
      Duration longestHold) {
    /**
     * The usual ones: turns of half the patience, that is 100 ms, and 64 MiB or ten times the
     * patience, that is 2 s, until the write-back is due; holds of 4 s.
     */
    public static Limits of(Duration patience) {
      return new Limits(
          patience,
          patience.dividedBy(2),
          DIRTY_BYTES,
          patience.multipliedBy(PATIENCES_PER_AGE),
          LONGEST_HOLD);
    }

    /**
     * How long the reader waits at most.
     *
     * @param bytes of the write-back, or to be read back; 0 where neither goes
     * @param bytesPerSecond recent speed of the disk
     */
    Duration turn(long bytes, double bytesPerSecond) {
      double moving =
          Math.min(bytes, dirtyBytes) * 1e9 / Math.min(bytesPerSecond, MOST_BYTES_PER_SECOND);
      return longestTurn.plusNanos(
          (long) Math.min(moving, (MOST_TURNS - 1.0) * longestTurn.toNanos()));
    }
  }

  private final Limits limits;
  private final long patienceNanos;
  private final StoreCounters counters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private final Condition done = lock.newCondition();
  private boolean reading;
  private boolean hasRead;
  private long turn;
  private boolean turnOpen;
  private long turnEnds;
  private int waiting;
  private long waitingSince;

  /** Bytes that the write-back would force; empty while it does not wait. */
  private Optional<LongSupplier> backlog = Optional.empty();

  private long backlogSince;

  /** In which turn the write-back last went. */
  private long backlogTurn = NO_TURN;

  /** When that turn began. */
  private long backlogBegan;

  /** From when on the write-back may have another turn. */
  private long backlogFrom = System.nanoTime();

  private Object lastForced = this;
  private final ReadBackQueue readBacks;
  private int inTurn;
  private final Gathering gathering;

  public TurnGate(Limits limits, StoreCounters counters) {
    this.limits = limits;
    this.patienceNanos = limits.patience.toNanos();
    this.counters = counters;
    this.readBacks = new ReadBackQueue(limits.age);
    this.gathering = new Gathering(lock, patienceNanos, counters);
  }

  public Limits limits() {
    return limits;
  }

  /** A gate at which nothing waits. */
  public static TurnGate open() {
    return new TurnGate(Limits.of(Duration.ZERO), new StoreCounters());
  }

  private enum Kind {
    AWAITED,
    SMALL_FILE,
    WRITE_BACK,
    READ_BACK
  }

  /** Leave to force or to read, to be given back when that is done. */
  public final class Pass {
    private final long mine;
    private final Kind kind;
    private final long began = System.nanoTime();

    private Pass(long mine, Kind kind) {
      this.mine = mine;
      this.kind = kind;
    }

    /** Whether there is time to force more. */
    public boolean hasTime() {
      lock.lock();
      try {
        return mine == NO_TURN
            ? !reading
            : mine == turn && turnOpen && turnEnds - System.nanoTime() > 0;
      } finally {
        lock.unlock();
      }
    }

    /**
     * A force begins.
     *
     * @param place what is forced: two forces of the same one after the other are no change of
     *     place for the disk
     */
    public void onForce(Object place, long bytes) {
      lock.lock();
      try {
        if (hasRead || !place.equals(lastForced)) {
          counters.increment(StoreCounter.WRITE_PLACES);
        }
        hasRead = false;
        lastForced = place;
      } finally {
        lock.unlock();
      }
      counters.add(StoreCounter.FORCED_BYTES, bytes);
      if (mine != NO_TURN) {
        counters.add(StoreCounter.FORCED_BYTES_IN_TURNS, bytes);
      }
    }

    public void leave() {
      onDone(this);
    }
  }

  /**
   * Waits for a turn, no longer than patience allows; joins one that is under way. Where the reader
   * has nothing to read, waits for the forces that are under way, for a quarter of the patience at
   * most, so that all that come meanwhile go together: the system then has the disk flush once for
   * several. An interrupt does not end the wait.
   */
  public Pass enter() {
    return enter(Kind.AWAITED, gathering::awaitOthers);
  }

  /**
   * As {@link #enter}, for the one force of a small file that is being closed. Where the reader has
   * nothing to read, and several came together lately, it waits for more of them, for three
   * quarters of the patience at most.
   */
  public Pass enterSmallFile() {
    return enter(Kind.SMALL_FILE, gathering::awaitCompany);
  }

  private Pass enter(Kind kind, Runnable whereIdle) {
    lock.lock();
    try {
      long mine = NO_TURN;
      if (patienceNanos > 0 && turnOpen) {
        mine = turn;
        inTurn++;
        counters.increment(StoreCounter.WRITES_IN_TURNS);
      } else if (patienceNanos > 0 && reading) {
        mine = awaitTurn();
      } else if (patienceNanos > 0) {
        whereIdle.run();
      }
      gathering.onBegin();
      return new Pass(mine, kind);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a turn of the write-back, for one caller at a time. An interrupt does not end the
   * wait.
   *
   * @param dirty bytes that wait with it to be forced; asked under this object's lock
   */
  public Pass enterWriteBack(LongSupplier dirty) {
    lock.lock();
    try {
      long mine = NO_TURN;
      if (patienceNanos > 0 && reading) {
        mine = awaitWriteBackTurn(dirty);
      }
      gathering.onBegin();
      return new Pass(mine, Kind.WRITE_BACK);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until it may read back {@link #READ_BACK_BYTES}: for a turn where the volume is being
   * read, else for those that read back now. An interrupt does not end the wait.
   */
  public Pass enterReadBack() {
    lock.lock();
    try {
      long mine = patienceNanos > 0 ? awaitReadBackTurn() : NO_TURN;
      readBacks.onBegin();
      return new Pass(mine, Kind.READ_BACK);
    } finally {
      lock.unlock();
    }
  }

  private long awaitReadBackTurn() {
    long began = System.nanoTime();
    long most = MOST_AGES * limits.age.toNanos();
    boolean interrupted = false;
    readBacks.beginWaiting();
    while (!mayReadBack() && System.nanoTime() - began < most) {
      try {
        var unused = opened.awaitNanos(most - (System.nanoTime() - began));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    readBacks.endWaiting();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!mayReadBack()) {
      counters.increment(StoreCounter.READ_BACKS_OUT_OF_PATIENCE);
    }
    return readBacks.take();
  }

  private boolean mayReadBack() {
    return readBacks.isGiven() || (!reading && readBacks.isFree());
  }

  private long awaitWriteBackTurn(LongSupplier dirty) {
    backlogSince = System.nanoTime();
    backlog = Optional.of(dirty);
    long most = MOST_AGES * limits.age.toNanos();
    boolean interrupted = false;
    while (reading && backlog.isPresent() && System.nanoTime() - backlogSince < most) {
      try {
        var unused = opened.awaitNanos(most - (System.nanoTime() - backlogSince));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (backlog.isPresent()) {
      backlog = Optional.empty();
      counters.increment(StoreCounter.WRITES_OUT_OF_PATIENCE);
      return NO_TURN;
    }
    return backlogTurn;
  }

  private long awaitTurn() {
    long began = System.nanoTime();
    if (waiting == 0) {
      waitingSince = began;
    }
    waiting++;
    long before = turn;
    boolean interrupted = false;
    while (turn == before && System.nanoTime() - began < patienceNanos) {
      try {
        var unused = opened.awaitNanos(patienceNanos - (System.nanoTime() - began));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    long waited = System.nanoTime() - began;
    counters.add(StoreCounter.WRITE_WAIT_MILLIS, TimeUnit.NANOSECONDS.toMillis(waited));
    if (turn == before) {
      waiting--;
      counters.increment(StoreCounter.WRITES_OUT_OF_PATIENCE);
      return NO_TURN;
    }
    return before + 1;
  }

  private void onDone(Pass pass) {
    lock.lock();
    try {
      if (pass.kind == Kind.WRITE_BACK && pass.mine != NO_TURN) {
        // counted from here, though the reader may have gone on before: beside a force it had
        // little
        long now = System.nanoTime();
        backlogFrom = now + (now - backlogBegan);
      }
      if (pass.kind == Kind.SMALL_FILE && pass.mine == NO_TURN) {
        gathering.onSmallFileForced(System.nanoTime() - pass.began);
      }
      if (pass.kind == Kind.READ_BACK) {
        readBacks.onEnd(pass.began);
        opened.signalAll();
      } else {
        gathering.onEnd();
      }
      if (pass.mine == turn && inTurn > 0) {
        inTurn--;
        done.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The volume's reader begins to read: callers that come from now on wait. */
  public void onReading() {
    lock.lock();
    try {
      reading = true;
      hasRead = true;
      gathering.onReading();
    } finally {
      lock.unlock();
    }
  }

  /** The volume's reader has nothing to read, or is gone: no caller waits any more. */
  public void onIdle() {
    lock.lock();
    try {
      reading = false;
      letWriteBackGo(NO_TURN);
      release();
    } finally {
      lock.unlock();
    }
  }

  /** Forces that wait now, for a turn or for others to end. */
  public int waiting() {
    lock.lock();
    try {
      return waiting + gathering.waiting();
    } finally {
      lock.unlock();
    }
  }

  /** Whether forces take turns now, as the volume's reader has something to read. */
  public boolean takesTurns() {
    lock.lock();
    try {
      return patienceNanos > 0 && reading;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the write-back waits for a turn. */
  public boolean hasWriteBackWaiting() {
    lock.lock();
    try {
      return backlog.isPresent();
    } finally {
      lock.unlock();
    }
  }

  /** Number of those that wait to read back. */
  public int waitingToReadBack() {
    lock.lock();
    try {
      return readBacks.waiting();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether a caller has waited so long, or so much waits, that a turn should come within a run.
   */
  public boolean isDue() {
    lock.lock();
    try {
      long now = System.nanoTime();
      boolean hurried = waiting > 0 && now - waitingSince >= patienceNanos / 2;
      return hurried || isWriteBackDue(now) || readBacks.isDue(now);
    } finally {
      lock.unlock();
    }
  }

  private boolean isWriteBackDue(long now) {
    return mayWriteBack(now)
        && (now - backlogSince >= limits.age.toNanos()
            || backlog.get().getAsLong() >= limits.dirtyBytes);
  }

  private boolean mayWriteBack(long now) {
    return backlog.isPresent() && now - backlogFrom >= 0;
  }

  /**
   * Lets those go that wait, and returns when they are done, or have taken too long. Does nothing
   * where none wait.
   *
   * @param bytesPerSecond recent speed of the disk
   */
  public void giveTurn(double bytesPerSecond) throws InterruptedException {
    lock.lock();
    try {
      long began = System.nanoTime();
      boolean writeBack = mayWriteBack(began);
      boolean readBack = !writeBack && readBacks.mayGo(began);
      if (waiting == 0 && !writeBack && !readBack) {
        return;
      }
      if (waiting > 0 || writeBack) {
        counters.increment(StoreCounter.WRITE_TURNS);
        counters.add(StoreCounter.WRITES_IN_TURNS, waiting);
      }
      long bytes = 0;
      if (writeBack) {
        counters.increment(StoreCounter.WRITE_BACK_TURNS);
        bytes = backlog.get().getAsLong();
        letWriteBackGo(turn + 1);
        backlogBegan = began;
      }
      if (readBack) {
        counters.increment(StoreCounter.READ_BACK_TURNS);
        bytes = READ_BACK_BYTES;
        readBacks.give(turn + 1);
      }
      release();
      inTurn += writeBack || readBack ? 1 : 0;
      awaitTurnEnd(began + limits.turn(bytes, bytesPerSecond).toNanos());
    } finally {
      lock.unlock();
    }
  }

  private void letWriteBackGo(long ofTurn) {
    backlog = Optional.empty();
    backlogTurn = ofTurn;
  }

  private void awaitTurnEnd(long ends) throws InterruptedException {
    turnOpen = true;
    turnEnds = ends;
    try {
      long left = ends - System.nanoTime();
      while (inTurn > 0 && left > 0) {
        left = done.awaitNanos(left);
      }
      if (inTurn > 0) {
        counters.increment(StoreCounter.WRITE_TURNS_CUT);
      }
    } finally {
      turnOpen = false;
      inTurn = 0;
    }
  }

  private void release() {
    turn++;
    inTurn = waiting;
    waiting = 0;
    opened.signalAll();
  }
}

package io.vdfs.datanode.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where forced writes of a volume wait for their turn beside its scans, so that the disk leaves its
 * place once for many of them. The one reader of the volume gives turns; a force goes without one
 * when nobody reads or its patience ends. Thread-safe: {@code lock} guards all fields; whoever
 * waits here should hold no other lock.
 *
 * <pre>
 *   IDLE --onReading--> READING --giveTurn--> (those that wait go; the reader waits for them)
 *     ^                    |  ^                      |
 *     +-----onIdle---------+  +--all done, or limit--+
 * </pre>
 */
public final class WriteGate {
  /** How long a reader waits for forces: several flushes of a slow disk. */
  public static final Duration LONGEST_TURN = Duration.ofMillis(100);

  private static final long NO_TURN = -1;
  private static final int GATHERING_SHARE = 4;

  private final long patienceNanos;
  private final long longestTurnNanos;
  private final StoreCounters counters;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private final Condition done = lock.newCondition();
  private final Condition allEnded = lock.newCondition();
  private boolean reading;
  private long turn;
  private int waiting;
  private long waitingSince;
  private int inTurn;
  private int underWay;
  private int gathering;
  private long ended;

  /**
   * @param patience how long a force waits for a turn at most; zero for not at all
   */
  public WriteGate(Duration patience, Duration longestTurn, StoreCounters counters) {
    this.patienceNanos = patience.toNanos();
    this.longestTurnNanos = longestTurn.toNanos();
    this.counters = counters;
  }

  /** One at which nobody waits. */
  public static WriteGate open() {
    return new WriteGate(Duration.ZERO, Duration.ZERO, new StoreCounters());
  }

  /** Leave to force, to be given back when that is done. */
  public final class Pass {
    private final long mine;

    private Pass(long mine) {
      this.mine = mine;
    }

    public void leave() {
      onDone(mine);
    }
  }

  /**
   * Waits for a turn, no longer than patience allows. Where nobody reads, waits for the forces that
   * are under way, a quarter of that at most, so that all who come meanwhile go together: the
   * system then has the disk flush once for several. An interrupt does not end the wait.
   */
  public Pass enter() {
    lock.lock();
    try {
      long mine = NO_TURN;
      if (patienceNanos > 0 && reading) {
        mine = awaitTurn();
      } else if (patienceNanos > 0 && underWay > 0) {
        gather();
      }
      underWay++;
      return new Pass(mine);
    } finally {
      lock.unlock();
    }
  }

  private void gather() {
    counters.increment(StoreCounter.WRITES_GATHERED);
    gathering++;
    long began = System.nanoTime();
    long before = ended;
    long left = patienceNanos / GATHERING_SHARE;
    boolean interrupted = false;
    while (ended == before && left > 0) {
      try {
        left = allEnded.awaitNanos(left);
      } catch (InterruptedException e) {
        interrupted = true;
        left = patienceNanos / GATHERING_SHARE - (System.nanoTime() - began);
      }
    }
    gathering--;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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

  private void onDone(long ofTurn) {
    lock.lock();
    try {
      underWay--;
      if (underWay == 0) {
        ended++;
        allEnded.signalAll();
      }
      if (ofTurn == turn && inTurn > 0) {
        inTurn--;
        done.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The volume's reader begins to read: who comes from now on waits. */
  public void onReading() {
    lock.lock();
    try {
      reading = true;
    } finally {
      lock.unlock();
    }
  }

  /** The volume's reader has nothing to read, or is gone: nobody waits any more. */
  public void onIdle() {
    lock.lock();
    try {
      reading = false;
      release();
    } finally {
      lock.unlock();
    }
  }

  /** Forces that wait now, for a turn or for others to end. */
  public int waiting() {
    lock.lock();
    try {
      return waiting + gathering;
    } finally {
      lock.unlock();
    }
  }

  /** Whether somebody has waited so long that his turn should come within a run. */
  public boolean isDue() {
    lock.lock();
    try {
      return waiting > 0 && System.nanoTime() - waitingSince >= patienceNanos / 2;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets those go that wait, and returns when they are done, or have taken too long. Nothing where
   * nobody waits.
   */
  public void giveTurn() throws InterruptedException {
    lock.lock();
    try {
      if (waiting == 0) {
        return;
      }
      counters.increment(StoreCounter.WRITE_TURNS);
      counters.add(StoreCounter.WRITES_IN_TURNS, waiting);
      release();
      long left = longestTurnNanos;
      while (inTurn > 0 && left > 0) {
        left = done.awaitNanos(left);
      }
      if (inTurn > 0) {
        counters.increment(StoreCounter.WRITE_TURNS_CUT);
        inTurn = 0;
      }
    } finally {
      lock.unlock();
    }
  }

  private void release() {
    turn++;
    inTurn = waiting;
    waiting = 0;
    opened.signalAll();
  }
}

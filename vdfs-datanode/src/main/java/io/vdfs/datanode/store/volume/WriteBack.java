package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.turns.TurnGate;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces combined files of one volume on a thread of its own, ahead of the writers, whether these
 * will ask for it or not, and does one chore of the volume when it is asked to. Beside a reader of
 * the volume it waits for a turn, and then forces as many files as that has time for, the one with
 * most bytes first, unless one has waited for long. A file waits at most once. Where too much waits
 * beside a reader, writers are held back. Thread-safe: {@code lock} guards the waiting files, those
 * held back and the state; nothing else is locked or called that locks while it is held.
 */
public final class WriteBack implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBack.class);
  private static final long CLOSE_SECONDS = 30;

  /** Time after which the system has by itself written most of what no caller waits for. */
  private static final long LEAST_LATER_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Such a minute in multiples of the usual patience, for disks that are given more of it. */
  private static final int PATIENCES_UNTIL_LATER = 300;

  /** A file that has waited so long goes before those with more bytes. */
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Bounded, as each of them keeps its file open. */
  static final int MOST_LATER = 256;

  /** Files that wait, above which what is closed is forced by whoever closes it. */
  public static final int MOST_WAITING = 2 * MOST_LATER;

  private static final Comparator<Settling> MOST_FIRST =
      Comparator.comparingLong(Settling::dirtyBytes);

  private enum State {
    NEW,
    RUNNING,
    CLOSED
  }

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** When each was asked for, in nanoseconds. */
  private final Map<Settling, Long> waiting = new LinkedHashMap<>();

  /** Bytes of the file that is being forced. */
  private long underWay;

  /** Writers that are held back, in the order in which their time ends. */
  private final Deque<CompletableFuture<Void>> held = new ArrayDeque<>();

  /** As {@link #waiting}, of those that may stay there for a minute. */
  private final Map<Settling, Long> later = new LinkedHashMap<>();

  private final long laterNanos;
  private final TurnGate gate;
  private final StoreCounters counters;
  private final Runnable chore;
  private boolean choreDue;
  private State state = State.NEW;

  /**
   * @param gate where it waits for its turns
   * @param chore what {@link #requestChore} asks for
   */
  WriteBack(String name, TurnGate gate, StoreCounters counters, Runnable chore) {
    this.gate = gate;
    this.counters = counters;
    this.chore = chore;
    laterNanos =
        Math.max(LEAST_LATER_NANOS, gate.limits().patience().toNanos() * PATIENCES_UNTIL_LATER);
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    lock.lock();
    try {
      state = State.RUNNING;
    } finally {
      lock.unlock();
    }
    thread.start();
  }

  /** Asks for a force; never blocks. Ignored after close. */
  public void request(Settling work) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        waiting.putIfAbsent(work, System.nanoTime());
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks for a force within about a minute, or 300 times the gate's patience where that is more, of
   * a file that no caller waits for; never blocks. Ignored after close.
   */
  public void requestLater(Settling work) {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        later.putIfAbsent(work, System.nanoTime());
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether so many files wait, each of them open, that no caller should leave one more here which
   * it could force itself.
   */
  public boolean isFull() {
    lock.lock();
    try {
      return waiting.size() + later.size() >= MOST_WAITING;
    } finally {
      lock.unlock();
    }
  }

  /**
   * When a writer may go on: now, unless the volume is being read and as much waits to be forced as
   * makes a turn due within a run. All that waits will be forced, so that a hold ends by itself; a
   * disk that hangs ends none, but the time limit does.
   *
   * @return completes within {@link TurnGate.Limits#longestHold}, never exceptionally
   */
  public CompletableFuture<Void> room() {
    if (!gate.takesTurns()) {
      return CompletableFuture.completedFuture(null);
    }
    lock.lock();
    try {
      if (!isCrowded()) {
        return CompletableFuture.completedFuture(null);
      }
      while (!held.isEmpty() && held.getFirst().isDone()) {
        held.removeFirst();
      }
      long most = gate.limits().longestHold().toNanos();
      CompletableFuture<Void> room =
          new CompletableFuture<Void>().completeOnTimeout(null, most, TimeUnit.NANOSECONDS);
      held.addLast(room);
      counters.increment(StoreCounter.WRITES_HELD_BACK);
      return room;
    } finally {
      lock.unlock();
    }
  }

  private boolean isCrowded() {
    return state == State.RUNNING && underWay + waitingBytes() >= gate.limits().dirtyBytes();
  }

  private long waitingBytes() {
    return waiting.keySet().stream().mapToLong(Settling::dirtyBytes).sum();
  }

  private void letHeldGo() {
    boolean beside = gate.takesTurns();
    List<CompletableFuture<Void>> going;
    lock.lock();
    try {
      if (beside && isCrowded()) {
        return;
      }
      going = List.copyOf(held);
      held.clear();
    } finally {
      lock.unlock();
    }
    going.forEach(room -> room.complete(null));
  }

  /** Asks for the chore, once; never blocks. Ignored after close. */
  void requestChore() {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        choreDue = true;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Optional<Runnable> next = take();
    while (next.isPresent()) {
      next.get().run();
      next = take();
    }
  }

  /** Forces what waits, on the calling thread; for a write-back without a thread. */
  public void work() {
    Optional<Runnable> next = poll();
    while (next.isPresent()) {
      next.get().run();
      next = poll();
    }
  }

  private Optional<Runnable> take() {
    lock.lock();
    try {
      while (state == State.RUNNING && waiting.isEmpty() && !choreDue && untilLate() > 0) {
        try {
          var unused = changed.awaitNanos(untilLate());
        } catch (InterruptedException e) {
          // only close ends this thread
        }
      }
      return poll();
    } finally {
      lock.unlock();
    }
  }

  /** Nanoseconds until a file that was asked for later is due; 0 if one is. */
  private long untilLate() {
    if (later.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long asked = later.values().iterator().next();
    boolean many = later.size() > MOST_LATER;
    return many ? 0 : Math.max(0, asked + laterNanos - System.nanoTime());
  }

  private Optional<Runnable> poll() {
    lock.lock();
    try {
      moveLate();
      boolean chore = choreDue && state != State.CLOSED;
      boolean files = !waiting.isEmpty();
      choreDue = false;
      return chore || files ? Optional.of(() -> doRound(chore, files)) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The chore comes first, as files may have to wait for their turn; both make progress in each
   * round.
   */
  private void doRound(boolean chore, boolean files) {
    if (chore) {
      doChore();
    }
    if (files) {
      settleWaiting();
    }
  }

  /**
   * Those that were asked for later wait like others once the first of them is due, so that the
   * disk goes to them once and not for each alone; all do in the end.
   */
  private void moveLate() {
    if (!later.isEmpty() && (state != State.RUNNING || untilLate() == 0)) {
      later.forEach(waiting::putIfAbsent);
      later.clear();
    }
  }

  /** Forces files that wait, as many as there is time for in one turn. */
  private void settleWaiting() {
    TurnGate.Pass pass = gate.enterWriteBack(this::dirtyBytes);
    try {
      Optional<Settling> next = pollWaiting();
      while (next.isPresent()) {
        settle(next.get(), pass);
        onSettled();
        next = pass.hasTime() ? pollWaiting() : Optional.empty();
      }
    } finally {
      pass.leave();
    }
  }

  private void onSettled() {
    lock.lock();
    try {
      underWay = 0;
    } finally {
      lock.unlock();
    }
    letHeldGo();
  }

  private long dirtyBytes() {
    lock.lock();
    try {
      return waitingBytes();
    } finally {
      lock.unlock();
    }
  }

  private Optional<Settling> pollWaiting() {
    lock.lock();
    try {
      Optional<Settling> next =
          waiting.entrySet().stream()
              .findFirst()
              .filter(first -> System.nanoTime() - first.getValue() >= LONG_NANOS)
              .map(Map.Entry::getKey)
              .or(() -> waiting.keySet().stream().max(MOST_FIRST));
      next.ifPresent(waiting::remove);
      underWay = next.map(Settling::dirtyBytes).orElse(0L);
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void doChore() {
    try {
      chore.run();
    } catch (RuntimeException | Error e) {
      // the files still need this thread
      LOG.error("a volume's chore failed: thread={}", thread.getName(), e);
    }
  }

  private static void settle(Settling work, TurnGate.Pass pass) {
    try {
      work.settle(pass);
    } catch (VdfsException e) {
      // the file is suspect by now: its writers will hear of it
      LOG.error("background force failed: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      // the other files still need this thread
      LOG.error("background force failed: file={}", work, e);
    }
  }

  /** Releases the writers held back, forces what waits, then stops. */
  @Override
  public void close() {
    boolean started;
    lock.lock();
    try {
      started = state == State.RUNNING;
      state = State.CLOSED;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    letHeldGo();
    if (started) {
      join();
    }
  }

  private void join() {
    try {
      thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

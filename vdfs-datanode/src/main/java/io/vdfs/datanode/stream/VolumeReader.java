package io.vdfs.datanode.stream;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.net.DataBuffers;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.turns.TurnGate;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a volume on one thread, as its {@link DiskQueue} says, into the page cache. Thread-safe:
 * {@code lock} guards the queue and the state; it is never held while the disk is read or a future
 * completed for others to see. The queue asks under it what is in memory, so that no scan moves
 * meanwhile.
 *
 * <pre>
 *   RUNNING --close, or the thread ends by a defect--> CLOSED
 * </pre>
 */
final class VolumeReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeReader.class);
  private static final long CLOSE_SECONDS = 30;

  private final BlockStore store;
  private final DiskQueue queue;
  private final Counters<StreamManagerCounter> counters;
  private final LongSupplier clock;
  private final Consumer<Throwable> onDefect;

  /** Of the reader thread, which releases it when it ends. */
  private final ByteBuf scratch;

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final TurnGate gate;

  /** Of the reader thread: where its last read ended. */
  private Extent last;

  private boolean closed;

  private VolumeReader(
      String name,
      BlockStore store,
      DiskQueue queue,
      TurnGate gate,
      ByteBuf scratch,
      Counters<StreamManagerCounter> counters,
      LongSupplier clock,
      Consumer<Throwable> onDefect) {
    this.store = store;
    this.queue = queue;
    this.gate = gate;
    this.counters = counters;
    this.clock = clock;
    this.onDefect = onDefect;
    this.scratch = scratch;
    this.thread = new Thread(this::runToTheEnd, name);
    this.thread.setDaemon(true);
  }

  /**
   * @param buffers the reader has one of them for as long as it runs
   * @param onDefect told, on the reader's thread, if a defect ends that and so all reads of the
   *     volume; returns soon
   */
  static VolumeReader start(
      int volume,
      BlockStore store,
      StreamSettings settings,
      BlockBuffers buffers,
      Counters<StreamManagerCounter> counters,
      LongSupplier clock,
      Consumer<Throwable> onDefect) {
    int readSize = Math.max(settings.readSize(), settings.smallRead());
    VolumeReader reader =
        new VolumeReader(
            "vdfs-read-" + volume,
            store,
            new DiskQueue(
                settings,
                policy(settings),
                extent -> store.isCached(extent.file(), extent.start(), extent.length()),
                counters),
            store.turnGate(volume),
            buffers.take(readSize).orElseGet(() -> DataBuffers.kept(readSize)),
            counters,
            clock,
            onDefect);
    reader.thread.start();
    return reader;
  }

  private static ScanPolicy policy(StreamSettings settings) {
    return switch (settings.order()) {
      case ELEVATOR -> new ElevatorPolicy(settings.minRun(), settings.maxRun(), settings.round());
      case ARRIVAL -> new ArrivalPolicy();
    };
  }

  /**
   * Asks for bytes that are not in memory. Never blocks.
   *
   * @param by who wants them
   * @return completed once they are, by the reader thread; cancelling it gives them up
   */
  CompletableFuture<Void> ask(Extent extent, Demand.By by) {
    Demand demand;
    lock.lock();
    try {
      if (closed) {
        return CompletableFuture.failedFuture(closedFailure(extent));
      }
      demand = queue.add(extent, by, clock.getAsLong());
      changed.signal();
    } finally {
      lock.unlock();
    }
    var unused =
        demand
            .done()
            .whenComplete(
                (done, failure) -> {
                  if (demand.done().isCancelled()) {
                    cancel(demand);
                  }
                });
    return demand.done();
  }

  private void cancel(Demand demand) {
    lock.lock();
    try {
      if (queue.cancel(demand)) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Says that a reader takes bytes that are in memory. */
  void onTaken(Extent extent) {
    lock.lock();
    try {
      if (queue.onTaken(extent, clock.getAsLong())) {
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether anybody waits for the disk. */
  boolean isWaitedFor() {
    lock.lock();
    try {
      return queue.waiting() > 0;
    } finally {
      lock.unlock();
    }
  }

  private void runToTheEnd() {
    try {
      run();
    } finally {
      scratch.release();
    }
  }

  private void run() {
    try {
      Optional<Piece> piece = take();
      while (piece.isPresent()) {
        giveTurnIfDue(piece.get().extent());
        read(piece.get());
        piece = take();
      }
      gate.onIdle();
    } catch (InterruptedException | RuntimeException | Error e) {
      // waiting readers come first: where memory is short the log may fail as well
      gate.onIdle();
      try {
        refuse(DiskQueue::drainAll);
        LOG.error("a volume is not read any more: thread={}", thread.getName(), e);
      } finally {
        onDefect.accept(e);
      }
    }
  }

  /** Forces go where the disk leaves its place anyway, or when they have waited long. */
  private void giveTurnIfDue(Extent next) throws InterruptedException {
    boolean goesOn =
        last != null
            && last.file().equals(next.file())
            && next.start() >= last.end()
            && next.start() - last.end() <= DiskQueue.SKIP;
    if (!goesOn || gate.isDue()) {
      gate.giveTurn(bytesPerSecond());
    }
    last = next;
  }

  private double bytesPerSecond() {
    lock.lock();
    try {
      return queue.bytesPerSecond();
    } finally {
      lock.unlock();
    }
  }

  private Optional<Piece> take() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        Optional<Piece> piece = queue.next(clock.getAsLong());
        if (piece.isPresent()) {
          gate.onReading();
          return piece;
        }
        gate.onIdle();
        var unused = changed.awaitNanos(untilExpiry());
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private long untilExpiry() {
    OptionalLong expiry = queue.nextExpiry();
    return expiry.isPresent()
        ? Math.max(1, expiry.getAsLong() - clock.getAsLong())
        : Long.MAX_VALUE;
  }

  private void read(Piece piece) {
    Extent extent = piece.extent();
    long started = clock.getAsLong();
    int bytes;
    try {
      ByteBuffer target = scratch.internalNioBuffer(0, (int) extent.length());
      bytes = store.readRaw(extent.file(), extent.start(), target);
    } catch (VdfsException e) {
      onFailed(piece, e);
      return;
    } catch (RuntimeException | Error e) {
      // nothing but the scratch buffer was touched: the next piece may well be read
      onFailed(piece, new VdfsException(ErrorCode.INTERNAL, "cannot read: piece=" + piece, e));
      LOG.error("cannot read: piece={}", piece, e);
      return;
    }
    long ended = clock.getAsLong();
    List<Demand> done;
    lock.lock();
    try {
      done = queue.onRead(piece, bytes, ended - started);
    } finally {
      lock.unlock();
    }
    for (Demand demand : done) {
      if (demand.by().reader()) {
        counters.add(
            StreamManagerCounter.WAIT_MILLIS,
            TimeUnit.NANOSECONDS.toMillis(ended - demand.arrived()));
      }
      demand.done().complete(null);
    }
  }

  private void onFailed(Piece piece, VdfsException cause) {
    List<Demand> failed;
    lock.lock();
    try {
      failed = queue.onFailed(piece);
    } finally {
      lock.unlock();
    }
    counters.add(StreamManagerCounter.FAILED, failed.size());
    failed.forEach(demand -> demand.done().completeExceptionally(cause));
  }

  private void refuse(Function<DiskQueue, List<Demand>> drain) {
    List<Demand> waiting;
    lock.lock();
    try {
      closed = true;
      waiting = drain.apply(queue);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    waiting.forEach(demand -> demand.done().completeExceptionally(closedFailure(demand.extent())));
  }

  private static VdfsException closedFailure(Extent extent) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "volume takes no reads now: volume=%s, file=%s"
            .formatted(extent.file().volume(), extent.file().key()));
  }

  /** Lets the read under way finish and refuses those that wait. Idempotent. */
  @Override
  public void close() {
    refuse(DiskQueue::drain);
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(CLOSE_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

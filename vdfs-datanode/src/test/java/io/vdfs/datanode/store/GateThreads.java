package io.vdfs.datanode.store;

import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.datanode.store.turns.TurnGate;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Threads that go through a gate, and a volume's reader that gives turns there. Thread-safe. */
public final class GateThreads {
  private static final double RATE = 150e6;

  private final AtomicInteger went = new AtomicInteger();

  /** Those that were let through so far. */
  public int went() {
    return went.get();
  }

  /** Starts one that is within the gate from when it is let through until it may leave. */
  public Thread enter(Supplier<TurnGate.Pass> gate, CountDownLatch mayLeave) {
    Thread thread =
        new Thread(
            () -> {
              TurnGate.Pass pass = gate.get();
              went.incrementAndGet();
              Uninterruptibles.awaitUninterruptibly(mayLeave);
              pass.leave();
            });
    thread.start();
    return thread;
  }

  /** Starts a reader that gives one turn. */
  public static Thread reader(TurnGate gate) {
    Thread thread = new Thread(() -> giveTurn(gate));
    thread.start();
    return thread;
  }

  public static void giveTurn(TurnGate gate) {
    try {
      gate.giveTurn(RATE);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

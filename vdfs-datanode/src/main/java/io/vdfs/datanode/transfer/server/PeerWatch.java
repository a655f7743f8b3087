package io.vdfs.datanode.transfer.server;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.vdfs.common.net.FrameDecoder;
import io.vdfs.datanode.transfer.PeerLimits;
import io.vdfs.datanode.transfer.TransferCounter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Ends a connection whose peer takes a place and does nothing with it: begins no frame, does not go
 * on with one, or has nothing to do here any more. Looks now and then, so that it costs nothing per
 * frame. Confined to the event loop.
 */
final class PeerWatch {
  private final EventExecutor loop;
  private final PeerLimits limits;
  private final Duration period;
  private final FrameDecoder decoder;
  private final BooleanSupplier used;
  private final Consumer<TransferCounter> close;
  private long framesSeen;
  private boolean withinFrame;
  private boolean reading = true;
  private boolean paused;

  /** Number of looks since something last changed. */
  private int unchanged;

  private ScheduledFuture<?> nextLook;

  /**
   * @param used whether something depends on the connection though its peer sends nothing
   * @param close told why the connection shall end, once
   */
  PeerWatch(
      EventExecutor loop,
      PeerLimits limits,
      FrameDecoder decoder,
      BooleanSupplier used,
      Consumer<TransferCounter> close) {
    this.loop = loop;
    this.limits = limits;
    this.period = limits.frame().dividedBy(2);
    this.decoder = decoder;
    this.used = used;
    this.close = close;
  }

  void start() {
    nextLook = loop.schedule(this::look, period.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Whether the connection is read now: while it is not, its peer cannot go on. */
  void onReading(boolean on) {
    reading = on;
    paused |= !on;
  }

  void end() {
    if (nextLook != null) {
      nextLook.cancel(false);
    }
  }

  private void look() {
    boolean changed =
        paused || framesSeen != decoder.frames() || withinFrame != decoder.isWithinFrame();
    unchanged = changed ? 0 : unchanged + 1;
    paused = !reading;
    framesSeen = decoder.frames();
    withinFrame = decoder.isWithinFrame();
    if (withinFrame && isOver(limits.frame())) {
      close.accept(TransferCounter.CLOSED_HALF_FRAME);
    } else if (framesSeen == 0 && isOver(limits.frame())) {
      close.accept(TransferCounter.CLOSED_SILENT);
    } else if (!withinFrame && !used.getAsBoolean() && isOver(limits.idle())) {
      close.accept(TransferCounter.CLOSED_IDLE);
    } else {
      start();
    }
  }

  private boolean isOver(Duration limit) {
    return period.multipliedBy(unchanged).compareTo(limit) >= 0;
  }
}

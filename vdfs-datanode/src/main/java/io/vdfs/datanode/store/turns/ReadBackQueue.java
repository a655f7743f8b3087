package io.vdfs.datanode.store.turns;

import java.time.Duration;

/**
 * Those that read back what a volume holds and for whom nobody waits: who waits, who reads, and
 * when the volume's reader may let the next one go. One of them reads at a time. Confined to the
 * lock of its {@link TurnGate}.
 */
final class ReadBackQueue {
  private static final long NO_TURN = -1;

  /** What the volume's reader has the disk for after one of them had it for 1. */
  private static final int READERS_SHARE = 4;

  private final long ageNanos;
  private int waiting;
  private int underWay;
  private long waitingSince;
  private long next = System.nanoTime();

  /** The turn that was given and that nobody has taken yet. */
  private long given = NO_TURN;

  /**
   * @param age after which the next one is due within a run
   */
  ReadBackQueue(Duration age) {
    this.ageNanos = age.toNanos();
  }

  void beginWaiting() {
    if (waiting == 0) {
      waitingSince = System.nanoTime();
    }
    waiting++;
  }

  void endWaiting() {
    waiting--;
    waitingSince = System.nanoTime();
  }

  /** Whether one that waits may go by itself, where nobody else reads. */
  boolean isFree() {
    return underWay == 0;
  }

  boolean isGiven() {
    return given != NO_TURN;
  }

  /** The turn that was given; from now on it is not. */
  long take() {
    long turn = given;
    given = NO_TURN;
    return turn;
  }

  void onBegin() {
    underWay++;
  }

  /**
   * @param began when it got the disk
   */
  void onEnd(long began) {
    underWay--;
    long now = System.nanoTime();
    next = now + READERS_SHARE * (now - began);
  }

  int waiting() {
    return waiting;
  }

  boolean mayGo(long now) {
    return waiting > 0 && underWay == 0 && given == NO_TURN && now - next >= 0;
  }

  boolean isDue(long now) {
    return mayGo(now) && now - waitingSince >= ageNanos;
  }

  void give(long turn) {
    given = turn;
  }
}

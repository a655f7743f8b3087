package io.vdfs.datanode.store.turns;

import java.time.Duration;

/**
 * The callers that read back what a volume holds without a client waiting for it: those that wait,
 * the one that reads, and when the volume's reader may let the next one go. One reads at a time.
 * Confined to the lock of its {@link TurnGate}.
 */
final class ReadBackQueue {
  private static final long NO_TURN = -1;

  /**
   * How long the volume's reader has the disk after one of them had it, as a multiple of that time.
   */
  private static final int READERS_SHARE = 4;

  private final long ageNanos;
  private int waiting;
  private int underWay;
  private long waitingSince;
  private long next = System.nanoTime();

  /** The turn that was given and is not taken yet. */
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

  /**
   * Whether one that waits may go without a turn, where the volume's reader has nothing to read.
   */
  boolean isFree() {
    return underWay == 0;
  }

  boolean isGiven() {
    return given != NO_TURN;
  }

  /** Takes the turn that was given. */
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

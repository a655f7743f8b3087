package io.vdfs.datanode.meta.service;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Lets a limited number of takers go on at a time, in the order in which they came. Confined. */
final class Turns {
  private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
  private int free;

  Turns(int count) {
    this.free = count;
  }

  /** Completes when it is the taker's turn; the taker gives the turn back afterwards. */
  CompletableFuture<Void> take() {
    CompletableFuture<Void> turn = new CompletableFuture<>();
    if (free > 0) {
      free--;
      turn.complete(null);
    } else {
      waiting.add(turn);
    }
    return turn;
  }

  void giveBack() {
    CompletableFuture<Void> next = waiting.poll();
    if (next == null) {
      free++;
    } else {
      next.complete(null);
    }
  }
}

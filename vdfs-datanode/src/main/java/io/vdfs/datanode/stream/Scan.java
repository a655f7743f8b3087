package io.vdfs.datanode.stream;

import io.vdfs.datanode.store.CombinedFileId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * One forward movement through a combined file that readers ride on. Confined to its queue.
 *
 * <pre>
 *      begin        asked           head                 waiting demands
 *        |-- taken ---|-- read ahead --|......|=====|=====|
 * </pre>
 */
final class Scan {
  private final CombinedFileId file;
  private final PriorityQueue<Demand> waiting =
      new PriorityQueue<>(Comparator.comparing(Demand::extent));
  private long begin;
  private long head;
  private long asked;
  private long lastUse;
  private long lastTurn;
  private boolean sequential;
  private boolean atEnd;

  /**
   * @param begin first byte that counts as part of the scan
   * @param head first byte to read; what lies before it has been read
   */
  Scan(CombinedFileId file, long begin, long head, long now) {
    this.file = file;
    this.begin = begin;
    this.head = head;
    this.asked = head;
    this.lastUse = now;
  }

  CombinedFileId file() {
    return file;
  }

  /** End of what was read. */
  long head() {
    return head;
  }

  /** When a reader last asked, or was last given what it had asked for. */
  long lastUse() {
    return lastUse;
  }

  /** Number of its last turn at the disk, or of its arrival; later ones are higher. */
  long lastTurn() {
    return lastTurn;
  }

  void onTurn(long number) {
    lastTurn = number;
  }

  boolean isSequential() {
    return sequential;
  }

  boolean isAtEnd() {
    return atEnd;
  }

  /** End of what was asked for. */
  long asked() {
    return asked;
  }

  /** Bytes read and not asked for. */
  long ahead() {
    return Math.max(0, head - asked);
  }

  boolean isWaitedFor() {
    return !waiting.isEmpty();
  }

  /** When the demand arrived that has waited longest; only if there is one. */
  long waitingSince() {
    return waiting.stream().mapToLong(Demand::arrived).min().orElseThrow();
  }

  /**
   * Whether an extent starts on the way of this scan.
   *
   * @param memory bytes before those not asked for yet that count as still in memory
   * @param skip bytes that it may lie beyond the end of the way
   */
  boolean covers(Extent extent, long memory, long skip) {
    return extent.file().equals(file)
        && extent.start() >= Math.max(begin, Math.min(asked, head) - memory)
        && extent.start() <= Math.max(asked, head) + skip;
  }

  /** The part of an extent that lies behind the head; empty if there is none. */
  Optional<Extent> readOf(Extent extent) {
    return extent.start() < head
        ? Optional.of(new Extent(file, extent.start(), Math.min(extent.end(), head)))
        : Optional.empty();
  }

  /** Whether the scan has read all of an extent that it covers. */
  boolean hasRead(Extent extent) {
    return extent.end() <= head;
  }

  /** Whether a reader waits for some of the same bytes already. */
  boolean isWaitedForByReader(Extent extent) {
    return waiting.stream()
        .anyMatch(demand -> demand.by().reader() && demand.extent().overlaps(extent));
  }

  /** A reader asked for an extent that this scan covers; the first bytes may have been read. */
  void onAsked(Extent extent, long skip, long now) {
    sequential |= extent.start() > begin && extent.start() >= asked - skip;
    asked = Math.max(asked, extent.end());
    lastUse = now;
  }

  void add(Demand demand) {
    waiting.add(demand);
    atEnd = false;
  }

  /** Gives a demand up; what only it wanted is no longer asked for. */
  boolean remove(Demand demand) {
    if (!waiting.remove(demand)) {
      return false;
    }
    long wanted = waiting.stream().mapToLong(left -> left.extent().end()).max().orElse(head);
    asked = Math.min(asked, Math.max(head, wanted));
    return true;
  }

  /**
   * Where to read on: behind the head, unless the next demand lies too far ahead to read through.
   */
  long next(long skip) {
    Demand first = waiting.peek();
    return first != null && first.extent().start() > head + skip ? first.extent().start() : head;
  }

  /** Skips bytes that are not wanted. */
  void jumpTo(long position) {
    if (position != head) {
      begin = position;
      head = position;
    }
  }

  /** The head has moved; takes the demands that are now complete. */
  List<Demand> onRead(long newHead, boolean end, long now) {
    head = Math.max(head, newHead);
    atEnd = end;
    List<Demand> done = new ArrayList<>();
    while (!waiting.isEmpty() && (end || waiting.peek().extent().end() <= head)) {
      done.add(waiting.poll());
    }
    // a long demand may hide shorter ones behind it
    for (Demand demand : List.copyOf(waiting)) {
      if (demand.extent().end() <= head) {
        waiting.remove(demand);
        done.add(demand);
      }
    }
    if (!done.isEmpty()) {
      lastUse = now;
    }
    return done;
  }

  /** These bytes cannot be read: takes the demands that wanted them, and goes on behind them. */
  List<Demand> onFailed(Extent bad) {
    List<Demand> failed = waiting.stream().filter(demand -> demand.extent().overlaps(bad)).toList();
    failed.forEach(waiting::remove);
    sequential = false;
    asked = Math.max(asked, bad.end());
    jumpTo(bad.end());
    return failed;
  }

  List<Demand> takeAll() {
    List<Demand> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }
}

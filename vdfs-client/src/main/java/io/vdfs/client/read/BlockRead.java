package io.vdfs.client.read;

import io.vdfs.client.io.BlockPart;
import io.vdfs.client.io.BufferBudget;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaFailures;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.concurrent.Interrupts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A range of one block on its way to the reader, from any replicas that can give it. Asks the first
 * one at once; turns to the next one if that fails, keeping the whole chunks it verified. Bytes
 * that turn out to be damaged only when they are copied are then fetched from the next one, or once
 * more from the same one, if nobody had asked it for them this time. Where all of them together
 * cannot give the whole range, it ends before what they lack, and less and less of it is asked for
 * to find where that is. Confined to its reader.
 */
final class BlockRead implements AutoCloseable {
  /** By how much a request is made smaller where memory, or sound bytes, do not suffice. */
  private static final int SHORTER = 4;

  private final ClientIo io;
  private final ReadWays known;
  private final FileView view;
  private final FetchListener fetches;
  private final long block;
  private final long until;
  private final long ringEpoch;
  private final Deque<ReadWay> ways;
  private final ReplicaFailures failures = new ReplicaFailures();
  private final List<Kept> parts = new ArrayList<>();
  private final BufferBudget.Share share;
  private int from;
  private int to;
  private int alignedEnd;
  private int covered;
  private ReadWay way;
  private ReadAttempt attempt;
  private long asked;

  /** Whether bytes were not where a node had said before, so that nodes are asked from then on. */
  private boolean anew;

  /** Bytes that were copied, and the node that gave them. */
  private record Copied(ReplicaNode node, int bytes) {}

  /** What a way gave; it counts up to where the next part starts. */
  private record Kept(ReadWay way, BlockPart part) {}

  private BlockRead(
      ClientIo io,
      ReadWays known,
      FetchListener fetches,
      long block,
      int from,
      int to,
      long until) {
    int chunk = io.geometry().chunkSize();
    this.io = io;
    this.known = known;
    this.view = known.view();
    this.fetches = fetches;
    this.block = block;
    this.from = from;
    this.until = until;
    endAt(to);
    this.covered = from - from % chunk;
    this.ringEpoch = io.placement().ringEpoch();
    this.ways = new ArrayDeque<>(known.to(io.geometry().groupOfBlock(block)));
    this.share = io.budget().share();
  }

  /**
   * Begins to fetch a range that lies within one block and within the file, whether the memory for
   * it is there or not.
   *
   * @param position of the first byte in the file
   */
  static BlockRead start(
      ClientIo io, ReadWays known, FetchListener fetches, long position, int length) {
    BlockRead read = of(io, known, fetches, position, length, position + length);
    read.askNext();
    return read;
  }

  /**
   * As {@link #start}, but fetches less where memory is short: down to the end of the first chunk,
   * which is fetched in any case.
   *
   * @param until position in the file that reading is likely to go on to
   */
  static BlockRead startWithin(
      ClientIo io, ReadWays known, FetchListener fetches, long position, int length, long until) {
    int chunk = io.geometry().chunkSize();
    int least = (int) Math.min(length, chunk - position % chunk);
    int asked = length;
    BlockRead read = of(io, known, fetches, position, asked, until);
    while (!read.hasMemory() && asked > least) {
      asked = Math.max(least, asked / SHORTER);
      read = of(io, known, fetches, position, asked, until);
    }
    if (asked < length) {
      io.counters().increment(IoCounter.READS_CUT_SHORT);
    }
    read.askNext();
    return read;
  }

  /**
   * As {@link #start}; empty where memory is short.
   *
   * @param until position in the file that reading is likely to go on to
   */
  static Optional<BlockRead> startAhead(
      ClientIo io, ReadWays known, FetchListener fetches, long position, int length, long until) {
    BlockRead read = of(io, known, fetches, position, length, until);
    if (!read.hasMemory()) {
      io.counters().increment(IoCounter.READS_CUT_SHORT);
      return Optional.empty();
    }
    read.askNext();
    return Optional.of(read);
  }

  private static BlockRead of(
      ClientIo io, ReadWays known, FetchListener fetches, long position, int length, long until) {
    long block = io.geometry().blockAt(position);
    int from = (int) (position - block * io.geometry().blockSize());
    return new BlockRead(io, known, fetches, block, from, from + length, until);
  }

  /** What comes from a file or a segment of this machine stays there until it is copied. */
  private boolean hasMemory() {
    return ways.isEmpty()
        || ways.peek().delivery().leavesBytesInPlace()
        || share.tryTake(alignedEnd - covered);
  }

  /** Position in the file of the first byte that can be had. */
  long position() {
    return block * io.geometry().blockSize() + from;
  }

  /** Of the ring that said which replicas there are, or of an older one. */
  long ringEpoch() {
    return ringEpoch;
  }

  /** Position in the file behind the last byte wanted; less once the range had to end earlier. */
  long end() {
    return block * io.geometry().blockSize() + to;
  }

  /**
   * Waits until the range is complete, or ends before a byte that no replica can give.
   *
   * @throws VdfsException UNAVAILABLE or CORRUPT naming all replicas asked for the first byte and
   *     why they failed
   */
  void await() throws IOException {
    while (covered < to) {
      if (attempt == null) {
        endEarlier();
        continue;
      }
      Optional<VdfsException> failure = awaitAttempt();
      int before = covered;
      boolean progress = keep(attempt.take());
      tell(before, failure);
      if (covered < to) {
        if (way.delivery().leavesBytesInPlace() && failure.isEmpty() && progress) {
          // a grant covers a limited number of chunks
          ways.addFirst(way);
        } else {
          onFailed(way, failure.orElseGet(this::tooShort));
        }
        askNext();
      }
    }
    attempt = null;
  }

  /** What all replicas together cannot give may be but the last of many chunks. */
  private void endEarlier() throws VdfsException {
    int chunkEnd = Math.min(to, covered + io.geometry().chunkSize());
    if (covered > from) {
      endAt(covered);
      return;
    }
    List<ReadWay> again = to > chunkEnd ? waysToUnreadable() : List.of();
    if (again.isEmpty()) {
      throw failures.asException(
          "file=" + view.file() + ", block=" + block + ", from=" + covered + ", to=" + to);
    }
    endAt(Math.max(chunkEnd, from + (to - from) / SHORTER));
    again.forEach(one -> failures.forget(one.node()));
    ways.addAll(again);
    askNext();
  }

  /** Those to nodes that answered; others are not waited for once more. */
  private List<ReadWay> waysToUnreadable() {
    Set<NodeId> nodes = failures.unreadable();
    return known.to(io.geometry().groupOfBlock(block)).stream()
        .filter(one -> nodes.contains(one.node().id()))
        .toList();
  }

  private void endAt(int end) {
    int chunk = io.geometry().chunkSize();
    to = end;
    alignedEnd = Math.min(io.geometry().blockSize(), end + (chunk - end % chunk) % chunk);
  }

  /**
   * Copies bytes of a complete range to the target's position, which advances: at least one, and
   * all but those behind the range's end, which may turn out to be nearer.
   *
   * @param position in the file, within the range
   * @param tally told of all bytes at the end
   * @throws VdfsException as {@link #await}, where the first bytes turn out to be damaged and no
   *     other replica has them; the range then is of no more use, and the target's position stays
   */
  void copy(long position, ByteBuffer target, int most, ReadTally tally) throws IOException {
    int first = (int) (position - block * io.geometry().blockSize());
    int length = Math.min(most, to - first);
    int index = partAt(first);
    if (length > endOf(index) - first) {
      copyParts(first, target, length, tally);
      return;
    }
    Kept kept = parts.get(index);
    int start = target.position();
    try {
      kept.part().copy(first, target.slice(start, length));
    } catch (VdfsException e) {
      onFailed(kept, e);
      startOver(first, false);
      copyParts(first, target, length, tally);
      return;
    }
    target.position(start + length);
    tally.onRead(kept.way().node(), length);
  }

  /**
   * As {@link #copy}, where all bytes are in memory and verified already; else does nothing.
   *
   * @return whether {@code target} is filled
   */
  boolean copyFromMemory(long position, ByteBuffer target, ReadTally tally) {
    int first = (int) (position - block * io.geometry().blockSize());
    int length = target.remaining();
    int index = partAt(first);
    if (length > Math.min(to, endOf(index)) - first) {
      return false;
    }
    Kept kept = parts.get(index);
    if (!kept.part().copyFromMemory(first, target)) {
      return false;
    }
    tally.onRead(kept.way().node(), length);
    return true;
  }

  private void copyParts(int first, ByteBuffer target, int length, ReadTally tally)
      throws IOException {
    List<Copied> given = new ArrayList<>(1);
    int start = target.position();
    int done = 0;
    while (done < length && first + done < to) {
      int at = first + done;
      int index = partAt(at);
      Kept kept = parts.get(index);
      int copied = Math.min(Math.min(length - done, to - at), endOf(index) - at);
      try {
        kept.part().copy(at, target.slice(start + done, copied));
        given.add(new Copied(kept.way().node(), copied));
        done += copied;
      } catch (VdfsException e) {
        onFailed(kept, e);
        startOver(at, done > 0);
      }
    }
    target.position(start + done);
    for (Copied part : given) {
      tally.onRead(part.node(), part.bytes());
    }
  }

  private int partAt(int at) {
    int index = parts.size() - 1;
    while (parts.get(index).part().start() > at) {
      index--;
    }
    return index;
  }

  private int endOf(int index) {
    return index + 1 < parts.size() ? parts.get(index + 1).part().start() : covered;
  }

  /**
   * Fetches what is wanted from byte {@code at} on by the ways that are left.
   *
   * @param mayEnd whether the range ends there, rather than fails, if that byte cannot be had; who
   *     asks for it next learns why
   */
  private void startOver(int at, boolean mayEnd) throws IOException {
    close();
    from = at;
    covered = at - at % io.geometry().chunkSize();
    askNext();
    try {
      await();
    } catch (VdfsException e) {
      if (!mayEnd) {
        throw e;
      }
      close();
      endAt(at);
    }
  }

  /** Gives up what is under way and releases all bytes. Idempotent. */
  @Override
  public void close() {
    if (attempt != null) {
      attempt.take().close();
      attempt = null;
    }
    for (Kept kept : parts) {
      kept.part().close();
    }
    parts.clear();
    share.release();
  }

  private void askNext() {
    way = ways.poll();
    if (way != null && !way.delivery().leavesBytesInPlace()) {
      share.takeUpTo(alignedEnd - covered);
    }
    asked = fetches == FetchListener.NONE ? 0 : System.nanoTime();
    attempt = way == null ? null : way.delivery().start(rangeFor(way.node()));
  }

  /**
   * @param before what was covered when the range was asked for
   */
  private void tell(int before, Optional<VdfsException> failure) {
    if (fetches != FetchListener.NONE) {
      fetches.onFetched(
          asked,
          block * io.geometry().blockSize() + before,
          alignedEnd - before,
          covered - before,
          way.delivery().name() + " " + way.node().address(),
          failure.orElse(null));
    }
  }

  private WantedRange rangeFor(ReplicaNode node) {
    long firstEpoch = view.lease().epochFor(end());
    int blockSize = io.geometry().blockSize();
    long behind = until / blockSize - block - 1;
    return new WantedRange(
        node,
        view,
        block,
        covered,
        alignedEnd,
        firstEpoch,
        anew,
        alignedEnd < blockSize && behind >= 0,
        (int) Math.max(0, Math.min(Integer.MAX_VALUE, behind)));
  }

  private Optional<VdfsException> awaitAttempt() throws IOException {
    try {
      return attempt.await();
    } catch (InterruptedException e) {
      throw Interrupts.during("reading: file=" + view.file(), e);
    }
  }

  /** Keeps whole chunks, and the last one if it reaches the end of what is wanted. */
  private boolean keep(BlockPart part) {
    int end = part.end();
    int usable = end >= to ? end : end - end % io.geometry().chunkSize();
    if (usable <= covered) {
      part.close();
      return false;
    }
    parts.add(new Kept(way, part));
    way.delivery().onKept(way.node(), usable - covered);
    covered = usable;
    return true;
  }

  /**
   * Bytes of a part cannot be had. Where nobody was asked for them and they are not there, the same
   * way comes first once more, and fails only by what it gives then.
   */
  private void onFailed(Kept kept, VdfsException failure) {
    if (kept.part().isEarly() && failure.code() == ErrorCode.CORRUPT) {
      anew = true;
      kept.way().delivery().onFailed(kept.way().node(), failure.code());
      ways.addFirst(kept.way());
    } else {
      onFailed(kept.way(), failure);
    }
  }

  private void onFailed(ReadWay failed, VdfsException failure) {
    failures.add(failed.node(), failure);
    io.damage().onFailed(failed.node(), view.file(), block, failure.code());
    switch (failed.delivery().onFailed(failed.node(), failure.code())) {
      case NEXT_WAY -> {
        // the ways stand in order
      }
      case SAME_NODE_BY_SOCKET -> ways.addFirst(failed.by(io, Delivery.SOCKET));
      case NEXT_NODE -> {
        ways.removeIf(other -> other.node().id().equals(failed.node().id()));
        io.health().failed(failed.node().id());
        io.counters().increment(IoCounter.READ_FAILOVERS);
      }
    }
  }

  private VdfsException tooShort() {
    return new VdfsException(
        ErrorCode.UNAVAILABLE, "replica is too short: has up to=" + covered + ", wanted=" + to);
  }
}

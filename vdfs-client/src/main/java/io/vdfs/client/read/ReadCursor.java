package io.vdfs.client.read;

import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.ReadPattern.Ahead;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Reads a file from a position onwards and fetches ahead as its pattern says. Where nothing is
 * known, it does so once the reading proves sequential: the first request after a seek is small,
 * each further one larger. Memory: the range being read and the requests ahead, less where the
 * JVM's budget is used up, and none at the end of the file. Confined to one thread at a time.
 */
public final class ReadCursor implements AutoCloseable {
  private static final int FIRST_REQUEST = 256 << 10;
  private static final int GROWTH = 4;

  private final FileRanges ranges;
  private final IoSettings settings;
  private final Counters<IoCounter> counters;
  private final ReadPattern pattern;
  private final ReadTally tally;
  private final Deque<BlockRead> ahead = new ArrayDeque<>();
  private BlockRead current;
  private long position;
  private int requestSize;
  private boolean sequential;

  /** Where reading began after the last seek; negative before the first read. */
  private long begun = -1;

  ReadCursor(
      FileRanges ranges,
      IoSettings settings,
      Counters<IoCounter> counters,
      ReadPattern pattern,
      ReadTally tally) {
    this.ranges = ranges;
    this.settings = settings;
    this.counters = counters;
    this.pattern = pattern;
    this.tally = tally;
    startAnew();
  }

  public long position() {
    return position;
  }

  /** Moves the cursor, also past the end; bytes fetched ahead are kept where they still fit. */
  public void seek(long target) throws IOException {
    FileRanges.checkPosition(target);
    if (target == position) {
      return;
    }
    position = target;
    if (!isCurrent() && (ahead.isEmpty() || !contains(ahead.getFirst(), target))) {
      dropAll();
      startAnew();
    }
  }

  /**
   * Reads to the target's position, which advances.
   *
   * @return how many bytes, at least one; -1 at the end of the file; 0 if there is no room
   * @throws VdfsException as {@link FileReader#read(long, ByteBuffer)}; both positions stay, and
   *     reading may be tried again
   */
  public int read(ByteBuffer target) throws IOException {
    int length = target.remaining();
    if (length == 0) {
      return 0;
    }
    if (!isCurrent()) {
      if (position >= ranges.length()) {
        return -1;
      }
      advance(length);
    }
    int before = target.position();
    BlockRead source = current;
    current = null;
    current = ranges.copy(source, position, target, length, tally);
    int copied = target.position() - before;
    position += copied;
    if (position >= ranges.length()) {
      // many readers end here and are never closed
      dropCurrent();
    }
    return copied;
  }

  /**
   * Fills the target, whose position advances, where all its bytes are in memory and verified
   * already; else does nothing. A shorter way than {@link #read(ByteBuffer)} for small reads.
   *
   * @return whether the target is filled
   */
  public boolean readFromMemory(ByteBuffer target) {
    int length = target.remaining();
    if (length == 0 || !isCurrent() || !current.copyFromMemory(position, target, tally)) {
      return false;
    }
    position += length;
    if (position >= ranges.length()) {
      dropCurrent();
    }
    return true;
  }

  /** As {@link #read(ByteBuffer)}. */
  public int read(byte[] target, int offset, int length) throws IOException {
    return read(ByteBuffer.wrap(target, offset, length));
  }

  /** Releases all buffers; the cursor can be read again. */
  @Override
  public void close() {
    dropAll();
    startAnew();
  }

  private boolean isCurrent() {
    return current != null && contains(current, position);
  }

  private static boolean contains(BlockRead read, long position) {
    return position >= read.position() && position < read.end();
  }

  /** Makes the range at the position the current one. */
  private void advance(int wanted) throws IOException {
    dropCurrent();
    BlockRead next = ahead.poll();
    if (next != null && !contains(next, position)) {
      next.close();
      dropAll();
      next = null;
    }
    if (next == null) {
      next = start(wanted);
    }
    if (sequential) {
      fillAhead(next.end());
    }
    sequential = pattern.ahead() != Ahead.NEVER;
    current = completed(next);
  }

  /** Fetches what is wanted, and more up to the size of a request and the end. */
  private BlockRead start(int wanted) {
    int most = settings.readAheadRequest();
    int asked = ranges.toChunkEnd(position, Math.min(wanted, most));
    long more = Math.min(Math.min(requestSize, most), Math.max(0, pattern.end() - position));
    int length = (int) Math.min(Math.max(asked, more), ranges.rangeAt(position));
    counters.add(IoCounter.BYTES_READ_AHEAD, Math.max(0, length - asked));
    boolean first = begun < 0;
    if (first || !sequential) {
      begun = position;
    }
    long until = first || sequential ? likelyEnd(position) : position + length;
    return ranges.startWithin(position, length, until);
  }

  /** Where reading ends that goes on to the end. */
  private long end() {
    return Math.min(ranges.length(), pattern.end());
  }

  /**
   * Where reading that has come to a position is likely to end: with the block, or, where nothing
   * is known, after some times as much as was read since the last seek.
   */
  private long likelyEnd(long from) {
    return switch (pattern.ahead()) {
      case NEVER -> from;
      case AT_ONCE -> end();
      case WHEN_SEQUENTIAL ->
          Math.min(end(), Math.max(from + ranges.rangeAt(from), from + (from - begun) * GROWTH));
    };
  }

  /** What is fetched once more may be less, but begins where the cursor is. */
  private BlockRead completed(BlockRead next) throws IOException {
    long start = position;
    int length = (int) (next.end() - start);
    try {
      ranges.complete(next);
    } catch (VdfsException e) {
      long end = next.end(); // it may have been tried down to the first chunk
      return ranges.fetch(start, end > start ? (int) (end - start) : length);
    }
    if (contains(next, start)) {
      return next;
    }
    next.close();
    return ranges.fetch(start, length);
  }

  private void fillAhead(long firstEnd) {
    long next = ahead.isEmpty() ? firstEnd : ahead.getLast().end();
    long end = end();
    while (ahead.size() < settings.readAheadRequests() && next < end) {
      requestSize = (int) Math.min((long) requestSize * GROWTH, settings.readAheadRequest());
      long range = Math.min(ranges.rangeAt(next), end - next);
      int size = (int) Math.min(requestSize, range);
      Optional<BlockRead> started = ranges.startAhead(next, size, likelyEnd(next));
      if (started.isEmpty()) {
        return;
      }
      BlockRead request = started.get();
      counters.add(IoCounter.BYTES_READ_AHEAD, request.end() - next);
      ahead.addLast(request);
      next = request.end();
    }
  }

  private void dropCurrent() {
    if (current != null) {
      current.close();
      current = null;
    }
  }

  private void dropAll() {
    dropCurrent();
    ahead.forEach(BlockRead::close);
    ahead.clear();
  }

  private void startAnew() {
    int most = settings.readAheadRequest();
    requestSize =
        switch (pattern.ahead()) {
          case NEVER -> 1;
          case WHEN_SEQUENTIAL -> Math.min(FIRST_REQUEST, most);
          case AT_ONCE -> most;
        };
    sequential = pattern.ahead() == Ahead.AT_ONCE;
  }
}

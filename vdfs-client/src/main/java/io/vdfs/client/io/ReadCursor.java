package io.vdfs.client.io;

import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * Reads a file from a position onwards and fetches ahead once the reading proves sequential: the
 * first request after a seek is small, each further one larger. Memory: the range being read and
 * the requests ahead. Confined to one thread at a time.
 */
public final class ReadCursor implements AutoCloseable {
  private static final int FIRST_REQUEST = 256 << 10;
  private static final int GROWTH = 4;

  private final FileReader reader;
  private final IoSettings settings;
  private final Deque<BlockRead> ahead = new ArrayDeque<>();
  private BlockRead current;
  private long position;
  private int requestSize;
  private boolean sequential;

  ReadCursor(FileReader reader, IoSettings settings) {
    this.reader = reader;
    this.settings = settings;
    this.requestSize = firstRequest();
  }

  public long position() {
    return position;
  }

  /** Moves; what was fetched ahead is kept where it still fits. The end may be passed. */
  public void seek(long target) throws IOException {
    FileReader.checkPosition(target);
    if (target == position) {
      return;
    }
    position = target;
    if (!isCurrent() && (ahead.isEmpty() || !contains(ahead.getFirst(), target))) {
      dropAll();
      requestSize = firstRequest();
      sequential = false;
    }
  }

  /**
   * @return how many bytes, at least one; -1 at the end of the file; 0 if {@code length} is 0
   * @throws VdfsException as {@link FileReader#read}; the position stays, and reading may be tried
   *     again
   */
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!isCurrent()) {
      if (position >= reader.length()) {
        return -1;
      }
      advance(length);
    }
    int copied = (int) Math.min(length, current.end() - position);
    BlockRead source = current;
    current = null;
    current = reader.copy(source, position, target, offset, copied);
    position += copied;
    return copied;
  }

  /** Lets all buffers go; the cursor can be read again. */
  @Override
  public void close() {
    dropAll();
    requestSize = firstRequest();
    sequential = false;
  }

  private boolean isCurrent() {
    return current != null && contains(current, position);
  }

  private static boolean contains(BlockRead read, long position) {
    return position >= read.position() && position < read.end();
  }

  /** Makes the range at the position the current one. */
  private void advance(int wanted) throws IOException {
    if (current != null) {
      current.close();
      current = null;
    }
    BlockRead next = ahead.poll();
    if (next != null && !contains(next, position)) {
      next.close();
      dropAll();
      next = null;
    }
    if (next == null) {
      int length = Math.min(Math.max(wanted, requestSize), settings.readAheadRequest());
      next = reader.start(position, (int) Math.min(length, reader.rangeAt(position)));
    }
    if (sequential) {
      fillAhead(next.end());
    }
    sequential = true;
    current = completed(next);
  }

  private BlockRead completed(BlockRead next) throws IOException {
    long start = next.position();
    int length = (int) (next.end() - start);
    try {
      return reader.complete(next);
    } catch (VdfsException e) {
      return reader.fetch(start, length);
    }
  }

  private void fillAhead(long firstEnd) {
    long next = ahead.isEmpty() ? firstEnd : ahead.getLast().end();
    while (ahead.size() < settings.readAheadRequests() && next < reader.length()) {
      requestSize = Math.min(requestSize * GROWTH, settings.readAheadRequest());
      BlockRead request = reader.start(next, (int) Math.min(requestSize, reader.rangeAt(next)));
      ahead.addLast(request);
      next = request.end();
    }
  }

  private void dropAll() {
    if (current != null) {
      current.close();
      current = null;
    }
    ahead.forEach(BlockRead::close);
    ahead.clear();
  }

  private int firstRequest() {
    return Math.min(FIRST_REQUEST, settings.readAheadRequest());
  }
}

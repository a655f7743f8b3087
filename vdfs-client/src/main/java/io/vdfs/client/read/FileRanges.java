package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.NodesWait;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.common.concurrent.Interrupts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Fetches ranges of one file, for its reader and the reader's cursors, and knows how far the file
 * can be read. Thread-safe. What no replica can give is asked for again with fresh metadata, and at
 * the nodes' new addresses if these changed. Where nodes do not answer, that goes on for a while
 * before it fails, unless the metadata service says that the content is gone.
 */
final class FileRanges {
  private final ClientIo io;
  private final ViewSource source;
  private final VisibleLength visibleLength;
  private final Object refreshing = new Object();
  private volatile State state;
  private volatile FetchListener fetches = FetchListener.NONE;

  /** What is known of the file; replaced as a whole. */
  private record State(ReadWays ways, long length) {
    FileView view() {
      return ways.view();
    }
  }

  /** What a complete range is for. */
  @FunctionalInterface
  private interface Use {
    Use NONE = read -> {};

    /**
     * @throws VdfsException where bytes of the range cannot be had any more; then nothing was done
     */
    void of(BlockRead read) throws IOException;
  }

  FileRanges(ClientIo io, FileView view, ViewSource source) {
    this.io = io;
    this.source = source;
    this.visibleLength = new VisibleLength(io);
    this.state = new State(ReadWays.of(io, view), view.length());
  }

  /** Reports what is fetched from now on to a listener. */
  void listen(FetchListener listener) {
    fetches = listener;
  }

  /** Bytes that can be read; never becomes less. */
  long length() {
    return state.length();
  }

  /** See {@link FileReader#refreshLength}. */
  long refreshLength() throws IOException {
    synchronized (refreshing) {
      if (state.view().open()) {
        refreshView();
        long visible = visibleLength.of(state.view());
        state = new State(state.ways(), Math.max(state.length(), visible));
      }
      return state.length();
    }
  }

  /**
   * Begins to fetch a range within one block, or less of it where memory is short, but at least up
   * to a chunk's end. The caller awaits and closes it.
   *
   * @param until position that reading is likely to go on to
   */
  BlockRead startWithin(long position, int length, long until) {
    return BlockRead.startWithin(io, state.ways(), fetches, position, length, until);
  }

  /** As {@link #startWithin}; empty where memory is short. */
  Optional<BlockRead> startAhead(long position, int length, long until) {
    return BlockRead.startAhead(io, state.ways(), fetches, position, length, until);
  }

  private BlockRead startWhole(long position, int length) {
    return BlockRead.start(io, state.ways(), fetches, position, length);
  }

  /**
   * Fetches a range within one block, or less of it where memory is short or no replica has more;
   * if need be after asking for the nodes' addresses and for fresh metadata.
   */
  BlockRead fetch(long position, int length) throws IOException {
    BlockRead read = startWithin(position, length, position + length);
    try {
      return complete(read);
    } catch (VdfsException e) {
      return fetchAgain(read, position, e, Use.NONE);
    }
  }

  /**
   * @param failed fetched again from {@code position} on, whatever memory there is
   * @param use what is done with the range before it is returned; done again where it fails
   */
  private BlockRead fetchAgain(BlockRead failed, long position, VdfsException failure, Use use)
      throws IOException {
    int length = (int) (failed.end() - position);
    IoSettings settings = io.settings();
    NodesWait wait = new NodesWait(settings.readersWait(), settings.retryDelay());
    wait.begin(System.nanoTime());
    long knownEpoch = failed.ringEpoch();
    VdfsException last = failure;
    while (true) {
      long askedEpoch = io.placement().ringEpoch();
      try {
        return fetchWhereNodesAre(position, length, knownEpoch, last, use);
      } catch (VdfsException e) {
        if (e.code() != ErrorCode.UNAVAILABLE || !wait.mayGoOn(System.nanoTime(), false)) {
          throw e;
        }
        knownEpoch = askedEpoch;
        last = e;
      }
      pause(wait.nextPause());
    }
  }

  private void pause(Duration pause) throws InterruptedIOException {
    io.counters().increment(IoCounter.READ_WAITS);
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
    } catch (InterruptedException e) {
      throw Interrupts.during("reading: file=" + state.view().file(), e);
    }
  }

  /** Nodes that have moved are found even while the metadata group has no leader. */
  private BlockRead fetchWhereNodesAre(
      long position, int length, long oldRingEpoch, VdfsException failure, Use use)
      throws IOException {
    if (isRingNewerThan(oldRingEpoch, failure)) {
      try {
        return complete(startWhole(position, length), use);
      } catch (VdfsException e) {
        failure.addSuppressed(e);
      }
    }
    refreshAfter(failure);
    return complete(startWhole(position, length), use);
  }

  private boolean isRingNewerThan(long epoch, VdfsException failure) {
    try {
      source.refreshNodes();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return io.placement().ringEpoch() > epoch;
  }

  /** Waits for a range that was started; closes it if it fails. */
  BlockRead complete(BlockRead read) throws IOException {
    return complete(read, Use.NONE);
  }

  private static BlockRead complete(BlockRead read, Use use) throws IOException {
    boolean used = false;
    try {
      read.await();
      use.of(read);
      used = true;
      return read;
    } finally {
      if (!used) {
        read.close();
      }
    }
  }

  /**
   * Copies bytes of a complete range as {@link BlockRead#copy} does. Where they cannot be had any
   * more and the range has no other replica left, they are asked for again as those of a request
   * that failed.
   *
   * @param read taken over; closed if this fails
   * @param tally told of all bytes at the end
   * @return the range to go on with
   */
  BlockRead copy(BlockRead read, long position, ByteBuffer target, int length, ReadTally tally)
      throws IOException {
    try {
      read.copy(position, target, length, tally);
      return read;
    } catch (VdfsException e) {
      read.close();
      Use copying = again -> again.copy(position, target, length, tally);
      return fetchAgain(read, position, e, copying);
    } catch (IOException | RuntimeException | Error e) {
      read.close();
      throw e;
    }
  }

  /** Bytes from {@code position} to the end of its block or of the file, whichever is nearer. */
  long rangeAt(long position) {
    long blockSize = io.geometry().blockSize();
    return Math.min(blockSize - position % blockSize, length() - position);
  }

  /** Length up to the end of the last chunk that a range touches; these bytes come in any case. */
  int toChunkEnd(long position, int length) {
    int chunk = io.geometry().chunkSize();
    return length + (int) ((chunk - (position + length) % chunk) % chunk);
  }

  static void checkPosition(long position) throws EOFException {
    if (position < 0) {
      throw new EOFException("a position cannot be negative: position=" + position);
    }
  }

  /**
   * Without fresh metadata the first failure stands.
   *
   * @throws VdfsException NOT_FOUND or FILE_CHANGED, suppressing the first failure, if the metadata
   *     service says that the content is gone; else the first failure
   */
  private void refreshAfter(VdfsException failure) throws VdfsException {
    synchronized (refreshing) {
      try {
        refreshView();
      } catch (IOException e) {
        if (e instanceof VdfsException gone && saysGone(gone)) {
          gone.addSuppressed(failure);
          throw gone;
        }
        failure.addSuppressed(e);
        throw failure;
      }
    }
  }

  private static boolean saysGone(VdfsException failure) {
    return failure.code() == ErrorCode.NOT_FOUND || failure.code() == ErrorCode.FILE_CHANGED;
  }

  private void refreshView() throws IOException {
    FileView known = state.view();
    FileView fresh = source.refresh(known.file());
    if (!fresh.file().equals(known.file()) || isCut(known, fresh)) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "the file was replaced or cut: opened=" + known + ", now=" + fresh);
    }
    state = new State(ReadWays.of(io, fresh), Math.max(state.length(), fresh.length()));
  }

  /**
   * A content that is fixed at what a writer flushed may be longer than what is recorded, as long
   * as the writer, or the recovery of its lease, is not through.
   */
  private static boolean isCut(FileView known, FileView fresh) {
    boolean sameLease = fresh.open() && fresh.lease().equals(known.lease());
    return fresh.length() < known.length() && !sameLease;
  }
}

package io.vdfs.client.io;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A range of one block on its way to the reader, from whichever replicas can give it. Asks the
 * first one at once; turns to the next one where that fails, keeping the whole chunks it verified.
 * Confined to its reader.
 */
final class BlockRead implements AutoCloseable {
  private final ClientIo io;
  private final FileView view;
  private final long block;
  private final int from;
  private final int to;
  private final int alignedEnd;
  private final Deque<ReplicaNode> candidates;
  private final ReplicaFailures failures = new ReplicaFailures();
  private final List<ByteBuf> pieces = new ArrayList<>();
  private final int alignedStart;
  private int covered;
  private ReadAttempt attempt;

  private BlockRead(ClientIo io, FileView view, long block, int from, int to) {
    int chunk = io.geometry().chunkSize();
    this.io = io;
    this.view = view;
    this.block = block;
    this.from = from;
    this.to = to;
    this.alignedStart = from - from % chunk;
    this.alignedEnd = Math.min(io.geometry().blockSize(), to + (chunk - to % chunk) % chunk);
    this.covered = alignedStart;
    this.candidates =
        new ArrayDeque<>(ReplicaOrder.of(io, view, io.geometry().groupOfBlock(block)));
  }

  /**
   * Begins to fetch a range that lies within one block and within the file.
   *
   * @param position of the first byte in the file
   */
  static BlockRead start(ClientIo io, FileView view, long position, int length) {
    long block = io.geometry().blockAt(position);
    int from = (int) (position - block * io.geometry().blockSize());
    BlockRead read = new BlockRead(io, view, block, from, from + length);
    read.askNext();
    return read;
  }

  /** Position in the file of the first byte wanted. */
  long position() {
    return block * io.geometry().blockSize() + from;
  }

  /** Position in the file behind the last byte wanted. */
  long end() {
    return block * io.geometry().blockSize() + to;
  }

  /**
   * Waits until the range is complete.
   *
   * @throws VdfsException UNAVAILABLE or CORRUPT naming all replicas asked and why they failed
   */
  void await() throws IOException {
    while (covered < to) {
      if (attempt == null) {
        throw failures.asException(
            "file=" + view.file() + ", block=" + block + ", from=" + covered + ", to=" + to);
      }
      Optional<VdfsException> failure = awaitAttempt();
      keep(attempt.take());
      if (covered < to) {
        onFailed(failure.orElseGet(this::tooShort));
        askNext();
      }
    }
  }

  /**
   * Copies bytes of a complete range.
   *
   * @param position in the file, within the range
   */
  void copy(long position, byte[] target, int offset, int length) {
    int skip = (int) (position - block * io.geometry().blockSize()) - alignedStart;
    int done = 0;
    for (ByteBuf piece : pieces) {
      int available = piece.readableBytes() - skip;
      if (available > 0 && done < length) {
        int copied = Math.min(available, length - done);
        piece.getBytes(piece.readerIndex() + skip, target, offset + done, copied);
        done += copied;
        skip = 0;
      } else {
        skip = Math.max(0, skip - piece.readableBytes());
      }
    }
  }

  /** Gives up what is under way and lets all bytes go. Idempotent. */
  @Override
  public void close() {
    if (attempt != null) {
      attempt.take().forEach(ByteBuf::release);
      attempt = null;
    }
    pieces.forEach(ByteBuf::release);
    pieces.clear();
  }

  private void askNext() {
    ReplicaNode node = candidates.poll();
    attempt = node == null ? null : ReadAttempt.start(io, node, view, block, covered, alignedEnd);
  }

  private Optional<VdfsException> awaitAttempt() throws IOException {
    try {
      return attempt.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while reading: file=" + view.file());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /** Keeps whole chunks, and the last one if it reaches the end of what is wanted. */
  private void keep(List<ByteBuf> taken) {
    int before = covered;
    for (ByteBuf piece : taken) {
      int length = piece.readableBytes();
      int usable = covered + length >= to ? length : length - length % io.geometry().chunkSize();
      pieces.add(piece.writerIndex(piece.readerIndex() + usable));
      covered += usable;
    }
    io.counters()
        .add(
            attempt.node().local() ? IoCounter.BYTES_READ_LOCAL : IoCounter.BYTES_READ_REMOTE,
            covered - before);
  }

  private void onFailed(VdfsException failure) {
    failures.add(attempt.node(), failure);
    io.health().failed(attempt.node().id());
    io.counters().increment(IoCounter.READ_FAILOVERS);
  }

  private VdfsException tooShort() {
    return new VdfsException(
        ErrorCode.UNAVAILABLE, "replica is too short: has up to=" + covered + ", wanted=" + to);
  }
}

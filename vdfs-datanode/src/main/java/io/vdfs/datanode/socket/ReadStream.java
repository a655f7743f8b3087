package io.vdfs.datanode.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Answers one read request: whole chunks with their checksums, in pieces that stay in the
 * processor's cache, as fast as the reader takes them. One piece is read at a time, and few of them
 * are on their way to the network; for these a share of the budget is set aside until all are
 * taken. Confined to the connection's event loop, except for {@link #read}.
 *
 * <pre>
 *   WARMING --in memory--> WAITING --budget--> SENDING --last piece--> ENDED
 *      |                      |                   \--gone, error--------^
 *      |                      \--gone--> GIVEN_UP --budget--------------^
 *      \--gone, error---------------------------------------------------^
 * </pre>
 */
final class ReadStream implements ServerStream {
  /** Bytes of a piece, unless a chunk is larger. */
  private static final int PIECE = 512 << 10;

  /** Most pieces that are read and not yet taken. */
  private static final int PIECES = 4;

  private enum State {
    WARMING,
    WAITING,
    SENDING,
    /** The reader no longer waits for the answer, but the request still waits for the budget. */
    GIVEN_UP,
    ENDED
  }

  private final TransferContext context;
  private final Outlet outlet;
  private final int pieceSize;
  private State state = State.WARMING;
  private FileKey file;
  private ReadRequest request;
  private int end;
  private int share;
  private CompletableFuture<Void> warm;
  private int next;
  private boolean reading;
  private int untaken;
  private int piecesRead;

  ReadStream(TransferContext context, Outlet outlet) {
    this.context = context;
    this.outlet = outlet;
    int chunkSize = context.geometry().chunkSize();
    this.pieceSize = Math.max(chunkSize, PIECE - PIECE % chunkSize);
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    request = frame.header(ReadRequest.parser());
    file = WireIds.fileKey(request.getFile());
    context.checkRange(request.getBlock(), request.getOffset(), request.getLength());
    limitRange();
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
      context.checkEpoch(file, request.getBlock(), request.getFirstEpoch());
    } catch (VdfsException e) {
      refuse(e);
      return;
    }
    int offset = request.getOffset();
    warm = context.reads().warm(outlet.host(), file, request.getBlock(), offset, end - offset);
    var unused =
        warm.whenComplete(
            (done, failure) -> outlet.loop().execute(() -> onWarm(Optional.ofNullable(failure))));
  }

  private void limitRange() {
    int chunkSize = context.geometry().chunkSize();
    int offset = request.getOffset();
    next = offset - offset % chunkSize;
    end = offset + Math.min(request.getLength(), context.geometry().blockSize() - offset);
    int wholeChunks = ChunkChecksums.countFor(end - next, chunkSize) * chunkSize;
    share = Math.min(wholeChunks, PIECES * pieceSize);
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    throw new VdfsException(
        ErrorCode.INVALID_ARGUMENT, "a read takes no further frames: frame=" + frame);
  }

  @Override
  public void onWritabilityChanged() {
    readOn();
  }

  @Override
  public void onGone() {
    switch (state) {
      case WARMING -> {
        if (warm != null) {
          warm.cancel(false);
        }
        end();
      }
      case WAITING -> state = State.GIVEN_UP;
      case SENDING -> {
        end();
        giveBackIfOver();
      }
      case GIVEN_UP, ENDED -> {}
    }
  }

  /** Memory is set aside only now, so that readers that wait for the disk hold none. */
  private void onWarm(Optional<Throwable> failure) {
    if (state != State.WARMING) {
      return;
    }
    if (failure.isPresent()) {
      refuse(Causes.asVdfs(failure.get()));
      return;
    }
    state = State.WAITING;
    outlet.acquire(share, this::onBudget);
  }

  private void onBudget() {
    if (state == State.GIVEN_UP) {
      outlet.release(share);
      end();
      return;
    }
    state = State.SENDING;
    readOn();
  }

  private void readOn() {
    if (state != State.SENDING || reading || untaken == PIECES || !outlet.isWritable()) {
      return;
    }
    reading = true;
    int from = Math.max(next, request.getOffset());
    int to = Math.min(next + pieceSize, end);
    try {
      context.threads().reads().execute(() -> read(from, to));
    } catch (RejectedExecutionException e) {
      onFailed(new VdfsException(ErrorCode.UNAVAILABLE, "too many reads wait", e));
    }
  }

  /** On a thread that may block, though the bytes should be in memory. */
  private void read(int from, int to) {
    try {
      BlockData read = context.reads().read(file, request.getBlock(), from, to - from);
      outlet.loop().execute(() -> onRead(read, to));
    } catch (VdfsException | RuntimeException | Error e) {
      VdfsException failure = Causes.asVdfs(e);
      outlet.loop().execute(() -> onFailed(failure));
    }
  }

  private void onFailed(VdfsException failure) {
    reading = false;
    if (state == State.ENDED) {
      giveBackIfOver();
    } else if (piecesRead > 0 && failure.code() == ErrorCode.NOT_FOUND) {
      // the node holds nothing beyond the chunks that were sent
      send(ChunkChecksums.NONE, Unpooled.EMPTY_BUFFER, true);
    } else {
      refuse(failure);
      giveBackIfOver();
    }
  }

  private void onRead(BlockData read, int wanted) {
    reading = false;
    if (state == State.ENDED) {
      read.data().release();
      giveBackIfOver();
      return;
    }
    if (piecesRead == 0) {
      context.counters().increment(TransferCounter.READS);
    }
    piecesRead++;
    int bytes = read.data().readableBytes();
    context.counters().add(TransferCounter.BYTES_READ, bytes);
    // a node that holds less than the piece holds nothing beyond
    boolean last = next + bytes >= end || next + bytes < wanted;
    send(read.checksums(), read.data(), last);
    readOn();
  }

  /**
   * @param data of the chunks that follow what was sent; taken over
   */
  private void send(ChunkChecksums checksums, ByteBuf data, boolean last) {
    ReadData header =
        ReadData.newBuilder()
            .setOffset(next)
            .setChecksums(WireChecksums.encode(checksums))
            .setLast(last)
            .build();
    // first the state: sending may call back that the piece was taken
    next += data.readableBytes();
    untaken++;
    if (last) {
      state = State.ENDED;
    }
    outlet.send(FrameType.READ_DATA, header, data, this::onTaken);
    if (last) {
      outlet.end();
    }
  }

  private void refuse(VdfsException failure) {
    context.counters().increment(TransferCounter.READS_FAILED);
    state = State.ENDED;
    outlet.send(
        FrameType.READ_DATA,
        ReadData.newBuilder().setLast(true).setError(WireIds.encode(failure)).build());
    outlet.end();
  }

  private void end() {
    state = State.ENDED;
    outlet.end();
  }

  private void onTaken() {
    untaken--;
    giveBackIfOver();
    readOn();
  }

  private void giveBackIfOver() {
    if (state == State.ENDED && !reading && untaken == 0) {
      outlet.release(share);
    }
  }
}

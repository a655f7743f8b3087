package io.vdfs.datanode.transfer;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.ChunkCrc;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Answers one read request: whole chunks with their checksums, in pieces, as fast as the reader
 * takes them. Confined to the connection's event loop.
 *
 * <pre>
 *   WARMING --in memory--> WAITING --budget--> READING --store--> SENDING --last piece--> ENDED
 *      \--gone, error--------\--gone-------------\--gone, error-----\--gone, stall--------^
 * </pre>
 *
 * <p>Its share of the budget goes back once the network has taken all that was sent.
 */
final class ReadStream implements ServerStream {
  private enum State {
    WARMING,
    WAITING,
    READING,
    SENDING,
    ENDED
  }

  private final TransferContext context;
  private final Outlet outlet;
  private final int pieceSize;
  private State state = State.WARMING;
  private FileKey file;
  private ReadRequest request;
  private int length;
  private int share;
  private CompletableFuture<Void> warm;
  private ReplicaChunks chunks;
  private int sent;
  private int unwritten;
  private ScheduledFuture<?> stallWatch;
  private long takenAtLastLook;

  ReadStream(TransferContext context, Outlet outlet) {
    this.context = context;
    this.outlet = outlet;
    int chunkSize = context.geometry().chunkSize();
    this.pieceSize = FrameDescriptor.MAX_PAYLOAD - FrameDescriptor.MAX_PAYLOAD % chunkSize;
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT for a request no sound reader sends
   */
  void open(Frame frame) throws VdfsException {
    request = frame.header(ReadRequest.parser());
    file = WireIds.fileKey(request.getFile());
    int blockSize = context.geometry().blockSize();
    context.checkRange(request.getBlock(), request.getOffset(), request.getLength());
    length = Math.min(request.getLength(), blockSize - request.getOffset());
    share = wholeChunks();
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
    } catch (VdfsException e) {
      refuse(e);
      return;
    }
    warm = context.store().warm(file, request.getBlock(), request.getOffset(), length);
    var unused =
        warm.whenComplete(
            (done, failure) -> outlet.loop().execute(() -> onWarm(Optional.ofNullable(failure))));
  }

  /** Bytes of all chunks of the range, which is what the store reads. */
  private int wholeChunks() {
    int chunkSize = context.geometry().chunkSize();
    int skipped = request.getOffset() % chunkSize;
    return ChunkCrc.count(skipped + length, chunkSize) * chunkSize;
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    throw new VdfsException(
        ErrorCode.INVALID_ARGUMENT, "a read takes no further frames: frame=" + frame);
  }

  @Override
  public void onWritabilityChanged() {
    pump();
  }

  @Override
  public void onGone() {
    State before = state;
    state = State.ENDED;
    if (before == State.WARMING && warm != null) {
      warm.cancel(false);
    } else if (before == State.SENDING) {
      endSending();
    }
  }

  /** Memory is set aside only now, so that readers who wait for the disk hold none. */
  private void onWarm(Optional<Throwable> failure) {
    if (state != State.WARMING) {
      return;
    }
    if (failure.isPresent()) {
      refuse(Failures.asVdfs(failure.get()));
      return;
    }
    state = State.WAITING;
    context.readBudget().acquire(share, () -> outlet.loop().execute(this::onBudget));
  }

  private void onBudget() {
    if (state == State.ENDED) {
      context.readBudget().release(share);
      return;
    }
    state = State.READING;
    try {
      context.disk().execute(this::read);
    } catch (RejectedExecutionException e) {
      onFailed(new VdfsException(ErrorCode.UNAVAILABLE, "too much disk work waits", e));
    }
  }

  /** On a thread that may block, though the bytes should be in memory. */
  private void read() {
    try {
      ReplicaChunks read =
          context.store().read(file, request.getBlock(), request.getOffset(), length);
      outlet.loop().execute(() -> onRead(read));
    } catch (VdfsException | RuntimeException | Error e) {
      VdfsException failure = Failures.asVdfs(e);
      outlet.loop().execute(() -> onFailed(failure));
    }
  }

  private void onFailed(VdfsException failure) {
    context.readBudget().release(share);
    if (state == State.READING) {
      refuse(failure);
    }
  }

  private void onRead(ReplicaChunks read) {
    chunks = read;
    if (state == State.ENDED) {
      endSending();
      return;
    }
    state = State.SENDING;
    context.counters().increment(TransferCounter.READS);
    watchForStall();
    pump();
  }

  private void pump() {
    while (state == State.SENDING && outlet.isWritable()) {
      sendPiece();
    }
  }

  private void sendPiece() {
    ByteBuf data = chunks.data();
    int chunkSize = context.geometry().chunkSize();
    int bytes = Math.min(pieceSize, data.readableBytes() - sent);
    int firstChunk = sent / chunkSize;
    int lastChunk = (sent + bytes + chunkSize - 1) / chunkSize;
    boolean last = sent + bytes == data.readableBytes();
    ReadData header =
        ReadData.newBuilder()
            .setOffset(chunks.offset() + sent)
            .addAllChecksums(chunks.checksums().subList(firstChunk, lastChunk))
            .setLast(last)
            .build();
    ByteBuf piece = data.retainedSlice(data.readerIndex() + sent, bytes);
    // first the state: sending may call back that there is room
    sent += bytes;
    unwritten++;
    if (last) {
      endSending();
    }
    context.counters().add(TransferCounter.BYTES_READ, bytes);
    outlet.send(FrameType.READ_DATA, header, piece, this::onTaken);
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

  private void onTaken() {
    unwritten--;
    giveBackIfOver();
  }

  private void endSending() {
    state = State.ENDED;
    chunks.data().release();
    chunks = null;
    giveBackIfOver();
  }

  private void giveBackIfOver() {
    if (state == State.ENDED && unwritten == 0) {
      context.readBudget().release(share);
      if (stallWatch != null) {
        stallWatch.cancel(false);
      }
    }
  }

  /** A reader that takes nothing up would keep its share of the budget for ever. */
  private void watchForStall() {
    long period = context.settings().readStall().toNanos();
    takenAtLastLook = outlet.taken();
    stallWatch =
        outlet
            .loop()
            .scheduleWithFixedDelay(this::lookForStall, period, period, TimeUnit.NANOSECONDS);
  }

  /** Other streams of the connection may go first: as long as any of them goes on, it lives. */
  private void lookForStall() {
    long taken = outlet.taken();
    if (taken == takenAtLastLook) {
      outlet.closeConnection(TransferCounter.CLOSED_STALLED);
    }
    takenAtLastLook = taken;
  }
}

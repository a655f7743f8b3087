package io.vdfs.datanode.segment;

import com.google.protobuf.ByteString;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.SegmentGrant;
import io.vdfs.common.wire.proto.SegmentRequest;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Lays one range into the slot that its reader names, with a buffer of a few chunks that stays in
 * the processor's cache. The slot is given back right before the answer, whatever the outcome.
 * Confined to the connection's event loop, except for {@link #fill}.
 *
 * <pre>
 *   WARMING --in memory--> FILLING --laid, error--> ENDED
 *      \--given up, error------------------------------^
 * </pre>
 */
final class FillStream implements ServerStream {
  /** Bytes read and written at a time, unless a chunk is larger. */
  private static final int WINDOW = 256 << 10;

  /** Most chunks of a range, so that their checksums fit into the answer. */
  private static final int MAX_CHUNKS = 4096;

  private enum State {
    WARMING,
    FILLING,
    ENDED
  }

  private final TransferContext context;
  private final Outlet outlet;
  private final Optional<SegmentDelivery> delivery;
  private final Optional<SegmentSession> session;
  private State state = State.WARMING;
  private FileKey file;
  private SegmentRequest request;
  private int start;
  private int end;
  private boolean holdsSlot;
  private CompletableFuture<Void> warm;

  /**
   * @param delivery empty where there is no shared memory
   * @param session of the connection; empty also if the peer is not on this machine or did not ask
   *     for a segment
   */
  FillStream(
      TransferContext context,
      Outlet outlet,
      Optional<SegmentDelivery> delivery,
      Optional<SegmentSession> session) {
    this.context = context;
    this.outlet = outlet;
    this.delivery = delivery;
    this.session = session;
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    request = frame.header(SegmentRequest.parser());
    file = WireIds.fileKey(request.getFile());
    context.checkRange(request.getBlock(), request.getOffset(), request.getLength());
    if (session.isEmpty()) {
      answer(refusal(SegmentStream.notHere()));
      return;
    }
    if (!session.get().take(request.getSlot())) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "the slot is not the reader's to give: slot=%s, layout=%s"
              .formatted(Integer.toUnsignedString(request.getSlot()), session.get().layout()));
    }
    holdsSlot = true;
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
      context.checkEpoch(file, request.getBlock(), request.getFirstEpoch());
    } catch (VdfsException e) {
      answer(refusal(e));
      return;
    }
    limitRange();
    warm = context.reads().warm(outlet.host(), file, request.getBlock(), start, end - start);
    var unused =
        warm.whenComplete(
            (done, failure) -> outlet.loop().execute(() -> onWarm(Optional.ofNullable(failure))));
  }

  /**
   * Limits the range to whole chunks that cover what is wanted and fit into block, slot and answer.
   */
  private void limitRange() {
    int chunk = context.geometry().chunkSize();
    long most = Math.min(session.orElseThrow().layout().slotBytes(), (long) MAX_CHUNKS * chunk);
    start = request.getOffset() - request.getOffset() % chunk;
    long wanted = ((long) request.getOffset() + request.getLength() + chunk - 1) / chunk * chunk;
    long fits = Math.min(context.geometry().blockSize(), start + most);
    end = (int) Math.min(wanted, fits);
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    throw new VdfsException(
        ErrorCode.INVALID_ARGUMENT, "a fill takes no further frames: frame=" + frame);
  }

  @Override
  public void onWritabilityChanged() {
    // one small answer is never held back
  }

  /** A reader gets its slot back with the answer. */
  @Override
  public void onGone() {
    if (state == State.WARMING) {
      if (warm != null) {
        warm.cancel(false);
      }
      count(SegmentCounter.FILLS_GIVEN_UP, 1);
      answer(refusal(new VdfsException(ErrorCode.UNAVAILABLE, "given up by the reader")));
    }
  }

  private void onWarm(Optional<Throwable> failure) {
    if (state != State.WARMING) {
      return;
    }
    if (failure.isPresent()) {
      answer(refusal(Causes.asVdfs(failure.get())));
      return;
    }
    state = State.FILLING;
    try {
      context.threads().reads().execute(this::fill);
    } catch (RejectedExecutionException e) {
      answer(refusal(new VdfsException(ErrorCode.UNAVAILABLE, "too many reads wait", e)));
    }
  }

  /** On a thread that may block, though the bytes should be in memory. */
  private void fill() {
    SegmentGrant grant;
    try {
      grant = filled();
    } catch (VdfsException | RuntimeException | Error e) {
      grant = refusal(Causes.asVdfs(e));
    }
    SegmentGrant answer = grant;
    outlet.loop().execute(() -> answer(answer));
  }

  private SegmentGrant filled() throws VdfsException {
    int chunk = context.geometry().chunkSize();
    int window = Math.max(chunk, WINDOW - WINDOW % chunk);
    ByteString checksums = ByteString.EMPTY;
    int at = start;
    boolean more = true;
    while (more && at < end) {
      int wanted = Math.min(window, end - at);
      Optional<BlockData> read = read(at, wanted);
      if (read.isPresent()) {
        checksums = checksums.concat(WireChecksums.encode(read.get().checksums()));
        at += lay(read.get(), at - start);
      }
      // a partial chunk is the last one that the node holds
      more = read.isPresent() && at % chunk == 0;
    }
    count(SegmentCounter.FILLS, 1);
    count(SegmentCounter.FILLED_BYTES, at - start);
    return SegmentGrant.newBuilder()
        .setOffset(start)
        .setLength(at - start)
        .setChecksums(checksums)
        .build();
  }

  /** Empty where the bytes read so far are all that the node holds. */
  private Optional<BlockData> read(int at, int wanted) throws VdfsException {
    try {
      return Optional.of(context.reads().read(file, request.getBlock(), at, wanted));
    } catch (VdfsException e) {
      if (at > start && e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private int lay(BlockData chunks, int offset) throws VdfsException {
    try {
      int bytes = chunks.data().readableBytes();
      session.orElseThrow().write(request.getSlot(), offset, chunks.data().nioBuffer());
      return bytes;
    } finally {
      chunks.data().release();
    }
  }

  private SegmentGrant refusal(VdfsException failure) {
    count(SegmentCounter.FILLS_FAILED, 1);
    return SegmentGrant.newBuilder().setError(WireIds.encode(failure)).build();
  }

  private void count(SegmentCounter counter, long amount) {
    delivery.ifPresent(here -> here.counters().add(counter, amount));
  }

  private void answer(SegmentGrant grant) {
    state = State.ENDED;
    if (holdsSlot) {
      holdsSlot = false;
      session.orElseThrow().give(request.getSlot());
    }
    outlet.send(FrameType.SEGMENT_GRANT, grant);
    outlet.end();
  }
}

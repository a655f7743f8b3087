package io.vdfs.client.delivery.segment;

import io.vdfs.client.delivery.DiskReads;
import io.vdfs.client.delivery.FilePart;
import io.vdfs.client.delivery.LocalFiles;
import io.vdfs.client.delivery.PendingAnswer;
import io.vdfs.client.delivery.ReceivedPart;
import io.vdfs.client.io.BlockPart;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.WantedRange;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.SegmentAttach;
import io.vdfs.common.wire.proto.SegmentGrant;
import io.vdfs.common.wire.proto.SegmentRequest;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the node on this machine to lay a range into a slot of the segment, to read it there. Fails
 * with UNSUPPORTED where there is no segment to read, with NO_SPACE where other readers have all
 * slots: it never waits for one. Thread-safe: the monitor guards all fields.
 *
 * <pre>
 *   ATTACHING --slot--> ASKING --answer--> ANSWERED --take a part--> LENT --part closed--> ENDED
 *       |                  |                   \--take nothing-----------------------------^
 *       |                  \--take--> GIVEN_UP --answer, end of the connection-------------^
 *       \--take----------------------------------------------------------------------------^
 * </pre>
 *
 * <p>The slot is the node's from the request to the answer, so one that gives up waiting keeps it
 * until the answer comes.
 */
final class SegmentAttempt implements ReadAttempt, StreamListener, FilePart.Owner {
  private enum State {
    ATTACHING,
    ASKING,
    ANSWERED,
    LENT,
    GIVEN_UP,
    ENDED
  }

  private final ClientIo io;
  private final LocalFiles files;
  private final SegmentRequest.Builder request;
  private final int start;
  private final int end;
  private final PendingAnswer<SegmentGrant> answer;
  private State state = State.ATTACHING;
  private AttachedSegment segment;
  private int slot;
  private DataStream stream;
  private Optional<FilePart> part = Optional.empty();

  private SegmentAttempt(
      ClientIo io, LocalFiles files, SegmentRequest.Builder request, WantedRange range) {
    this.io = io;
    this.files = files;
    this.request = request;
    this.start = range.start();
    this.end = range.end();
    this.answer = new PendingAnswer<>(io, () -> "no grant in time: wanted from=" + start);
  }

  /**
   * @param files by which segments are opened
   * @param segments those of this process
   */
  static SegmentAttempt start(
      ClientIo io, LocalFiles files, AttachedSegments segments, WantedRange range) {
    SegmentRequest.Builder request =
        SegmentRequest.newBuilder()
            .setFile(WireIds.encode(range.view().file()))
            .setBlock(range.block())
            .setOffset(range.start())
            .setLength(range.end() - range.start())
            .setFirstEpoch((int) range.firstEpoch())
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(range.node().id()));
    SegmentAttach attach =
        SegmentAttach.newBuilder()
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(range.node().id()))
            .build();
    SegmentAttempt attempt = new SegmentAttempt(io, files, request, range);
    var unused =
        io.connections()
            .shared(range.node().address())
            .thenCompose(connection -> attempt.attach(connection, segments, attach))
            .whenComplete((asked, failure) -> attempt.onAsked(failure));
    return attempt;
  }

  private CompletableFuture<Void> attach(
      DataConnection connection, AttachedSegments segments, SegmentAttach attach) {
    answer.onAsked(connection);
    return segments.of(connection, attach).thenAccept(made -> onSegment(connection, made));
  }

  private void onAsked(Throwable failure) {
    if (failure != null) {
      answer.fail(failure);
    }
  }

  private synchronized void onSegment(DataConnection connection, AttachedSegment made) {
    if (state != State.ATTACHING) {
      return;
    }
    OptionalInt taken = made.slots().takeAny();
    if (taken.isEmpty()) {
      answer.fail(
          new VdfsException(
              ErrorCode.NO_SPACE, "all slots of the segment are taken: layout=" + made.layout()));
      return;
    }
    segment = made;
    slot = taken.getAsInt();
    state = State.ASKING;
    stream = connection.open(this);
    stream.send(FrameType.SEGMENT_REQUEST, request.setSlot(slot).build());
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.SEGMENT_GRANT) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "this request is answered with a grant: frame=" + frame);
    }
    onGrant(frame.header(SegmentGrant.parser()));
  }

  private synchronized void onGrant(SegmentGrant grant) {
    stream.end();
    onSlotBack();
    if (grant.hasError()) {
      answer.fail(WireIds.exception(grant.getError()));
    } else {
      answer.give(grant);
    }
  }

  /** The segment is of no more use, but a reader may still copy out of a slot it was granted. */
  @Override
  public synchronized void onDisconnected(VdfsException cause) {
    onSlotBack();
    answer.fail(cause);
  }

  private void onSlotBack() {
    if (state == State.ASKING) {
      state = State.ANSWERED;
    } else if (state == State.GIVEN_UP) {
      giveSlot();
    }
  }

  private void giveSlot() {
    state = State.ENDED;
    segment.slots().give(slot);
  }

  @Override
  public Optional<VdfsException> await() throws InterruptedException {
    answer.onProgress();
    try {
      openPart(checked(answer.await()));
      return Optional.empty();
    } catch (VdfsException e) {
      return Optional.of(e);
    }
  }

  private SegmentGrant checked(SegmentGrant grant) throws VdfsException {
    boolean fits =
        grant.getOffset() == start
            && grant.getLength() >= 1
            && grant.getLength() <= Math.min(end - start, segment().layout().slotBytes())
            && WireChecksums.holds(
                grant.getChecksums(),
                ChunkChecksums.countFor(grant.getLength(), io.geometry().chunkSize()));
    if (!fits) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "grant does not fit: offset=%s, length=%s, bytes of checksums=%s, wanted from=%s to=%s"
              .formatted(
                  grant.getOffset(), grant.getLength(), grant.getChecksums().size(), start, end));
    }
    return grant;
  }

  private synchronized AttachedSegment segment() {
    return segment;
  }

  /** Only the reader moves on from an answer, so the slot stays ours while the file is opened. */
  private void openPart(SegmentGrant grant) throws VdfsException {
    AttachedSegment granted = segment();
    LocalFiles.Handle file;
    try {
      file = files.open(granted.path());
    } catch (IOException | InvalidPathException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "the node's segment cannot be opened from here: " + e, e);
    }
    onOpen(grant, file);
  }

  private synchronized void onOpen(SegmentGrant grant, LocalFiles.Handle file) {
    FilePart.Range range =
        new FilePart.Range(
            segment.path(),
            segment.layout().position(slot),
            grant.getOffset(),
            grant.getLength(),
            WireChecksums.decode(grant.getChecksums()));
    part = Optional.of(new FilePart(io, range, file, DiskReads.NONE, this));
  }

  @Override
  public void onRead(int bytes, long fetched) {
    io.counters().add(IoCounter.BYTES_BY_SEGMENT, bytes);
  }

  /** The block is not damaged: a node that ends, or whose connection does, cuts the segment. */
  @Override
  public VdfsException onCut(String where) {
    return new VdfsException(ErrorCode.UNSUPPORTED, "the segment was cut: " + where);
  }

  @Override
  public boolean isEarly() {
    return false;
  }

  @Override
  public synchronized void onClosed() {
    giveSlot();
  }

  @Override
  public synchronized BlockPart take() {
    if (part.isPresent()) {
      BlockPart taken = part.get();
      part = Optional.empty();
      state = State.LENT;
      return taken;
    }
    switch (state) {
      case ATTACHING -> state = State.ENDED;
      case ASKING -> {
        state = State.GIVEN_UP;
        stream.askToGiveUp();
      }
      case ANSWERED -> giveSlot();
      case LENT, GIVEN_UP, ENDED -> {
        // the slot is not this call's to give back
      }
    }
    return new ReceivedPart(start, List.of());
  }
}

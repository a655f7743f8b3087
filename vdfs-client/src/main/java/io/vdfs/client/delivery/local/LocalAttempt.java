package io.vdfs.client.delivery.local;

import io.netty.buffer.ByteBuf;
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
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Asks the node on this machine where a range lies, to read it there. Fails with UNSUPPORTED where
 * the bytes have to come over the socket: the node grants nothing, or its file cannot be opened
 * from here. A node that has the range in its own memory, while its file would have to come from
 * the disk, sends the bytes at once. Asks nobody where the node granted the range already, with
 * bytes before it or to another reader, or is about to, unless the grant turns out to be gone or
 * the reader needs the bytes first. Owned by its reader; the network completes {@code answer} and
 * may be the one that asks.
 */
final class LocalAttempt implements ReadAttempt, StreamListener, FilePart.Owner {
  private final ClientIo io;
  private final LocalFiles files;
  private final GrantingNode node;
  private final Runnable suspension;
  private final WantedRange range;
  private final int start;
  private final int end;
  private final PendingAnswer<Answer> answer;

  /** Whether the node was asked, or is not to be asked any more; the first to set it asks. */
  private final AtomicBoolean asked = new AtomicBoolean();

  /** What is asked for beyond the range; set before the node is asked. */
  private volatile EarlyGrants.Question question;

  /** Set before the question is sent. */
  private volatile DataConnection asking;

  /** Whether an early grant was used, and nothing but it. */
  private boolean granted;

  /** Whether the part is that of an early grant. */
  private boolean early;

  private boolean accepted;
  private Optional<BlockPart> part = Optional.empty();

  /**
   * @param sent the bytes themselves, if the grant has no path; owned by the taker of the answer
   */
  private record Answer(LocalGrant grant, ByteBuf sent) {}

  private LocalAttempt(
      ClientIo io, LocalFiles files, GrantingNode node, Runnable suspension, WantedRange range) {
    this.io = io;
    this.files = files;
    this.node = node;
    this.suspension = suspension;
    this.range = range;
    this.start = range.start();
    this.end = range.end();
    this.answer = new PendingAnswer<>(io, () -> "no grant in time: wanted from=" + start);
  }

  /**
   * @param files of the node
   * @param node what is kept of it
   * @param suspension run where another delivery is better for a while
   */
  static LocalAttempt start(
      ClientIo io, LocalFiles files, GrantingNode node, Runnable suspension, WantedRange range) {
    LocalAttempt attempt = new LocalAttempt(io, files, node, suspension, range);
    EarlyGrants early = node.early();
    if (range.anew() || (!early.has(range) && !early.await(range, attempt::onAwaited))) {
      attempt.ask();
    }
    return attempt;
  }

  /** What was to have a grant for the range as well is answered. */
  private void onAwaited() {
    if (!node.early().has(range)) {
      ask();
    }
  }

  /** Asks the node, unless that is done. */
  private void ask() {
    if (asked.compareAndSet(false, true)) {
      askNode();
    }
  }

  private void askNode() {
    EarlyGrants.Question beyond = node.early().ask(range);
    question = beyond;
    answer.whenDone(() -> node.early().onAnswered(beyond));
    LocalRequest.Builder request =
        LocalRequest.newBuilder()
            .setFile(WireIds.encode(range.view().file()))
            .setBlock(range.block())
            .setOffset(range.start())
            .setLength(range.end() - range.start())
            .setFirstEpoch((int) range.firstEpoch())
            .setRest(beyond.rest())
            .setFollowing(beyond.following())
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(range.node().id()));
    var unused =
        io.connections()
            .shared(range.node().address())
            .whenComplete((connection, broken) -> onConnected(connection, broken, request));
  }

  private void onConnected(
      DataConnection connection, Throwable broken, LocalRequest.Builder request) {
    if (broken != null) {
      answer.fail(broken);
      return;
    }
    DataStream stream = connection.open(this);
    if (answer.isDone()) {
      stream.end();
      return;
    }
    answer.onAsked(connection);
    asking = connection;
    stream.send(FrameType.LOCAL_REQUEST, request.setReads(node.reads().tell()).build());
    answer.whenDone(() -> onDone(stream));
  }

  /** Tells the node to give up, too, if the answer is no longer awaited. */
  private void onDone(DataStream stream) {
    if (answer.isGivenUp()) {
      stream.cancel();
    } else {
      stream.end();
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.LOCAL_GRANT) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "this request is answered with a grant: frame=" + frame);
    }
    LocalGrant grant = frame.header(LocalGrant.parser());
    if (!grant.hasError()) {
      node.early().keep(question, grant, asking::isOpen);
    }
    node.early().onAnswered(question); // before the reader asks for what lies behind
    if (grant.hasError()) {
      answer.fail(WireIds.exception(grant.getError()));
      return;
    }
    if (!answer.give(new Answer(grant, frame.payload().retain()))) {
      frame.payload().release();
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    answer.fail(cause);
  }

  @Override
  public Optional<VdfsException> await() throws InterruptedException {
    if (!asked.get()) {
      Optional<LocalGrant> kept = node.early().take(range);
      boolean first = kept.isPresent() && asked.compareAndSet(false, true);
      part = kept.flatMap(this::partOf);
      early = part.isPresent();
      if (early) {
        granted = first;
        io.counters().increment(IoCounter.LOCAL_EARLY_GRANTS);
        return Optional.empty();
      } else if (first) {
        askNode();
      } else {
        ask();
      }
    }
    answer.onProgress();
    try {
      part = Optional.of(accept(answer.await()));
      return Optional.empty();
    } catch (VdfsException e) {
      return Optional.of(e);
    }
  }

  /**
   * Empty where the grant is of no use any more, so that the node has to be asked.
   *
   * @param given covers the range
   */
  private Optional<BlockPart> partOf(LocalGrant given) {
    try {
      check(given, given.getOffset(), io.geometry().blockSize());
      return Optional.of(fileOf(given, start, end));
    } catch (VdfsException e) {
      node.early().drop(range, given);
      return Optional.empty();
    }
  }

  private BlockPart accept(Answer given) throws VdfsException {
    accepted = true;
    ByteBuf sent = given.sent();
    LocalGrant grant = given.grant();
    boolean kept = false;
    try {
      check(grant, start, end);
      if (!sent.isReadable()) {
        return fileOf(grant, start, start + grant.getLength());
      }
      verify(grant, sent);
      io.counters().add(IoCounter.BYTES_BY_SOCKET, sent.readableBytes());
      io.counters().add(IoCounter.BYTES_READ_LOCAL, sent.readableBytes());
      kept = true;
      return new ReceivedPart(start, List.of(sent));
    } finally {
      if (!kept) {
        sent.release();
      }
    }
  }

  /**
   * @param from first byte in the block that is to be read, at a chunk's start
   * @param to end of what is to be read; at most the grant's
   */
  private BlockPart fileOf(LocalGrant grant, int from, int to) throws VdfsException {
    int skipped = from - grant.getOffset();
    int first = skipped / io.geometry().chunkSize();
    int chunks = ChunkChecksums.countFor(to - from, io.geometry().chunkSize());
    FilePart.Range read =
        new FilePart.Range(
            grant.getPath(),
            grant.getPosition() + skipped,
            from,
            to - from,
            WireChecksums.decode(grant.getChecksums(), first, chunks));
    LocalFiles.Handle file = open(grant);
    return new FilePart(io, read, file, file.diskReads(), this);
  }

  private void verify(LocalGrant grant, ByteBuf sent) throws VdfsException {
    int chunkSize = io.geometry().chunkSize();
    int bad =
        sent.readableBytes() == grant.getLength()
            ? WireChecksums.decode(grant.getChecksums()).firstMismatch(sent.nioBuffer(), chunkSize)
            : 0;
    if (bad >= 0) {
      io.counters().increment(IoCounter.CORRUPT_CHUNKS);
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "what the node kept is damaged: offset in block=" + (start + (long) bad * chunkSize));
    }
  }

  /** Where the page cache loses what the node puts there, another delivery is better. */
  @Override
  public void onRead(int bytes, long fetched) {
    io.counters().add(IoCounter.BYTES_BY_LOCAL_DELIVERY, bytes);
    io.counters().add(IoCounter.BYTES_FETCHED_FROM_DISK, fetched);
    boolean tooMuch = node.reads().onRead(bytes, fetched);
    if (tooMuch) {
      suspension.run();
    }
  }

  @Override
  public VdfsException onCut(String where) {
    if (!early) {
      io.counters().increment(IoCounter.CORRUPT_CHUNKS);
    }
    return new VdfsException(ErrorCode.CORRUPT, "block file was cut short: " + where);
  }

  @Override
  public boolean isEarly() {
    return early;
  }

  @Override
  public void onClosed() {
    // the grant lasts as long as the connection
  }

  /**
   * @param from what the grant begins with, in the block
   * @param to most that it may reach to
   */
  private void check(LocalGrant grant, int from, int to) throws VdfsException {
    boolean fits =
        grant.getOffset() == from
            && grant.getLength() >= 1
            && grant.getLength() <= to - from
            && grant.getPosition() >= 0
            && grant.getPosition() <= Long.MAX_VALUE - grant.getLength()
            && WireChecksums.holds(
                grant.getChecksums(),
                ChunkChecksums.countFor(grant.getLength(), io.geometry().chunkSize()));
    if (!fits) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          ("grant does not fit: offset=%s, length=%s, position=%s, bytes of checksums=%s, wanted"
                  + " from=%s to=%s")
              .formatted(
                  grant.getOffset(),
                  grant.getLength(),
                  grant.getPosition(),
                  grant.getChecksums().size(),
                  from,
                  to));
    }
  }

  private LocalFiles.Handle open(LocalGrant grant) throws VdfsException {
    try {
      return files.open(grant.getPath());
    } catch (IOException | InvalidPathException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "the node's file cannot be opened from here: " + e, e);
    }
  }

  /** An answer that has not come by then is given up, whether it is late or no longer wanted. */
  @Override
  public BlockPart take() {
    if (!granted && !asked.compareAndSet(false, true)) {
      answer.giveUp();
    }
    if (!accepted) {
      accepted = true;
      answer.given().ifPresent(late -> late.sent().release());
    }
    BlockPart taken = part.orElseGet(() -> new ReceivedPart(start, List.of()));
    part = Optional.empty();
    return taken;
  }
}

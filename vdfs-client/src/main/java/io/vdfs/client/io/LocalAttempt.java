package io.vdfs.client.io;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the node on this machine where a range lies, to read it there. Fails with UNSUPPORTED where
 * the bytes have to come over the socket: the node grants nothing, or its file cannot be opened
 * from here. A node that keeps the range itself, and whose file would have to come from the disk,
 * sends it at once. Owned by its reader; the network completes {@code answer}.
 */
final class LocalAttempt implements ReadAttempt, StreamListener, FilePart.Owner {
  private final ClientIo io;
  private final NodeId node;
  private final int start;
  private final int end;
  private final CompletableFuture<Answer> answer = new CompletableFuture<>();
  private boolean accepted;
  private Optional<BlockPart> part = Optional.empty();

  /**
   * @param sent the bytes themselves, if the grant has no path; owned by whoever takes the answer
   */
  private record Answer(LocalGrant grant, ByteBuf sent) {}

  private LocalAttempt(ClientIo io, NodeId node, int start, int end) {
    this.io = io;
    this.node = node;
    this.start = start;
    this.end = end;
  }

  /**
   * @param start first byte wanted in the block, on a chunk boundary
   * @param end end of the last chunk wanted
   * @param firstEpoch lowest write epoch that the block may have
   */
  static LocalAttempt start(
      ClientIo io,
      ReplicaNode node,
      FileView view,
      long block,
      int start,
      int end,
      long firstEpoch) {
    LocalAttempt attempt = new LocalAttempt(io, node.id(), start, end);
    LocalRequest.Builder request =
        LocalRequest.newBuilder()
            .setFile(WireIds.encode(view.file()))
            .setBlock(block)
            .setOffset(start)
            .setLength(end - start)
            .setFirstEpoch((int) firstEpoch)
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(node.id()));
    var unused =
        io.connections()
            .shared(node.address())
            .whenComplete((connection, broken) -> attempt.onConnected(connection, broken, request));
    return attempt;
  }

  private void onConnected(
      DataConnection connection, Throwable broken, LocalRequest.Builder request) {
    if (broken != null) {
      answer.completeExceptionally(broken);
      return;
    }
    DataStream stream = connection.open(this);
    if (answer.isDone()) {
      stream.end();
      return;
    }
    stream.send(FrameType.LOCAL_REQUEST, request.setReads(io.localReads(node).tell()).build());
    var unused = answer.whenComplete((given, failure) -> onDone(stream));
  }

  /** Where nobody waits any more, the node is told to give up, too. */
  private void onDone(DataStream stream) {
    if (answer.isCancelled()) {
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
    if (grant.hasError()) {
      answer.completeExceptionally(WireIds.exception(grant.getError()));
    } else if (!answer.complete(new Answer(grant, frame.payload().retain()))) {
      frame.payload().release();
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    answer.completeExceptionally(cause);
  }

  @Override
  public Optional<VdfsException> await() throws InterruptedException {
    try {
      part = Optional.of(accept(answer.get(limit(), TimeUnit.NANOSECONDS)));
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(Causes.asVdfs(e));
    } catch (TimeoutException e) {
      return Optional.of(
          new VdfsException(ErrorCode.UNAVAILABLE, "no grant in time: wanted from=" + start, e));
    } catch (VdfsException e) {
      return Optional.of(e);
    }
  }

  private long limit() {
    return io.settings().readTimeout().toNanos();
  }

  private BlockPart accept(Answer given) throws VdfsException {
    accepted = true;
    ByteBuf sent = given.sent();
    LocalGrant grant = given.grant();
    boolean kept = false;
    try {
      check(grant);
      if (!sent.isReadable()) {
        LocalFiles.Handle file = open(grant);
        return new FilePart(io, rangeOf(grant), file, file.diskReads(), this);
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

  private void verify(LocalGrant grant, ByteBuf sent) throws VdfsException {
    int chunkSize = io.geometry().chunkSize();
    int bad =
        sent.readableBytes() == grant.getLength()
            ? checksumsOf(grant).firstMismatch(sent.nioBuffer(), chunkSize)
            : 0;
    if (bad >= 0) {
      io.counters().increment(IoCounter.CORRUPT_CHUNKS);
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "what the node kept is damaged: offset in block=" + (start + (long) bad * chunkSize));
    }
  }

  /** Where the page cache loses what the node puts there, the node had better hand it over. */
  @Override
  public void onRead(int bytes, long fetched) {
    io.counters().add(IoCounter.BYTES_BY_LOCAL_DELIVERY, bytes);
    io.counters().add(IoCounter.BYTES_FETCHED_FROM_DISK, fetched);
    boolean tooMuch = io.localReads(node).onRead(bytes, fetched);
    if (tooMuch && io.settings().delivery() == Delivery.AUTO) {
      io.counters().increment(IoCounter.LOCAL_SUSPENSIONS);
      io.localDoubts().failed(node);
    }
  }

  @Override
  public void onClosed() {
    // the grant lasts as long as the connection
  }

  private void check(LocalGrant grant) throws VdfsException {
    boolean fits =
        grant.getOffset() == start
            && grant.getLength() >= 1
            && grant.getLength() <= end - start
            && grant.getPosition() >= 0
            && grant.getPosition() <= Long.MAX_VALUE - grant.getLength()
            && grant.getChecksumsCount()
                == ChunkChecksums.countFor(grant.getLength(), io.geometry().chunkSize());
    if (!fits) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "grant does not fit: offset="
              + grant.getOffset()
              + ", length="
              + grant.getLength()
              + ", position="
              + grant.getPosition()
              + ", checksums="
              + grant.getChecksumsCount()
              + ", wanted from="
              + start
              + " to="
              + end);
    }
  }

  private static FilePart.Range rangeOf(LocalGrant grant) {
    return new FilePart.Range(
        grant.getPath(),
        grant.getPosition(),
        grant.getOffset(),
        grant.getLength(),
        checksumsOf(grant));
  }

  private static ChunkChecksums checksumsOf(LocalGrant grant) {
    return ChunkChecksums.of(grant.getChecksumsCount(), grant::getChecksums);
  }

  private LocalFiles.Handle open(LocalGrant grant) throws VdfsException {
    try {
      return io.localFiles().open(grant.getPath());
    } catch (IOException | InvalidPathException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "the node's file cannot be opened from here: " + e, e);
    }
  }

  /** An answer that has not come by then, be it late or not wanted any more, is given up. */
  @Override
  public BlockPart take() {
    if (!answer.cancel(false) && !accepted && !answer.isCompletedExceptionally()) {
      accepted = true;
      answer.join().sent().release();
    }
    BlockPart taken = part.orElseGet(() -> new ReceivedPart(start, List.of()));
    part = Optional.empty();
    return taken;
  }
}
